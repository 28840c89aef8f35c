import type { NewSecondFactor } from "@pestle/contract";
import { useEffect, useState } from "react";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { Skeleton } from "../../ui/display/notice.tsx";
import { QrCode } from "../../ui/display/qr-code.tsx";
import { say } from "../../ui/words/say.tsx";
import { bodyOf, errorOf, send } from "../api.ts";
import { Problem } from "../problem.tsx";
import styles from "./sign-in.module.css";

/** Shows a new secret as a QR code and as text. It takes effect once the user enters a first code. */
export function SecondFactorSetUp({ csrf_token }: { csrf_token: string }) {
  const [made, setMade] = useState<NewSecondFactor | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const closed = new AbortController();
    begin(csrf_token, closed.signal).then(setMade, (caught) => closed.signal.aborted || setError(caught));
    return () => closed.abort();
  }, [csrf_token]);
  if (error !== null) return <Problem error={error} />;
  return (
    <div className={styles["set-up"]}>
      <p>{say("Scan this QR code with an authenticator app, then enter the code it shows.")}</p>
      {made === null ? (
        <Skeleton lines={5} />
      ) : (
        <>
          <QrCode picture={made.qr_code} label={say("QR code for your authenticator app")} />
          <p className="small quiet">{say("Or enter this key manually:")}</p>
          <Copyable text={made.secret} label={say("secret")} />
        </>
      )}
    </div>
  );
}

async function begin(csrf_token: string, signal: AbortSignal): Promise<NewSecondFactor> {
  const response = await send("/session/second_factor", {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", "x-csrf-token": csrf_token },
    body: "{}",
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  return bodyOf("POST /session/second_factor", response);
}
