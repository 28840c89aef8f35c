import type { SignInAnswer, SsoOffer, WebBody } from "@pestle/contract";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { bodyOf, errorOf, send } from "../api.ts";
import { Problem } from "../problem.tsx";
import { endSession } from "./end-session.ts";
import { SecondFactorSetUp } from "./second-factor.tsx";
import { csrfToken, halfSignedIn, type Session, serverSession, signedIn } from "./session.ts";
import styles from "./sign-in.module.css";
import { SingleSignOn } from "./single-sign-on.tsx";

type Step = "password" | "code" | "set_up";

/** Email and password, then the second-factor code or its setup. */
export function SignInForm({
  email: known,
  half,
  sso = null,
}: {
  email?: string;
  half: Session | null;
  sso?: SsoOffer | null;
}) {
  const [given, setGiven] = useState({ email: known ?? "", password: "", code: "" });
  const [half_session, setHalf] = useState(half);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const step: Step = half_session === null ? "password" : half_session.totp_on ? "code" : "set_up";

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const answer =
        step === "password"
          ? await post("/session", { email: given.email, password: given.password }, csrfToken())
          : await post("/session/code", { code: given.code.replaceAll(" ", "") }, half_session!.csrf_token);
      if (answer.outcome === "signed_in") signedIn(answer);
      else applySession(answer);
    } catch (caught) {
      setError(caught);
      // Another tab may have signed in or out. Go back to the password step if there is no pending sign-in.
      if (step !== "password") applySession((await serverSession().catch(() => null))?.session ?? null);
    }
    setBusy(false);
  }

  function applySession(session: Session | null) {
    if (session?.complete) return signedIn(session);
    setHalf(session);
    halfSignedIn(session);
  }

  async function startOver() {
    setError(null);
    try {
      await endSession();
      applySession(null);
    } catch (caught) {
      setError(caught);
    }
  }

  return (
    <form className={styles["form"]} onSubmit={submit}>
      {step === "password" && (
        <>
          <TextField
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus={known === undefined}
            readOnly={known !== undefined}
            value={given.email}
            onChange={(event) => setGiven({ ...given, email: event.target.value })}
          />
          <TextField
            label="Password"
            type="password"
            name="password"
            autoComplete="current-password"
            required
            autoFocus={known !== undefined}
            value={given.password}
            onChange={(event) => setGiven({ ...given, password: event.target.value })}
          />
        </>
      )}
      {step === "set_up" && <SecondFactorSetUp csrf_token={half_session!.csrf_token} />}
      {step !== "password" && (
        <TextField
          label="Code"
          hint="The 6-digit code from your authenticator app."
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9 ]{6,7}"
          required
          autoFocus
          value={given.code}
          onChange={(event) => setGiven({ ...given, code: event.target.value })}
        />
      )}
      {error !== null && <Problem error={error} />}
      <Button tone="primary" type="submit" busy={busy}>
        {step === "password" ? "Sign in" : "Verify code"}
      </Button>
      {step === "password" && <SingleSignOn offer={sso} email={given.email} />}
      {step !== "password" && (
        <Button tone="quiet" onClick={startOver}>
          Start over
        </Button>
      )}
    </form>
  );
}

/**
 * The server requires the CSRF token of the browser's current session. If this page holds an older token, for example
 * after an unfinished sign-in in another tab, fetch the current token and retry.
 */
async function post<const Path extends "/session" | "/session/code">(
  path: Path,
  body: WebBody<`POST ${Path}`>,
  csrf_token: string | null,
): Promise<SignInAnswer> {
  let response = await sendTo(path, body, csrf_token);
  if (response.status === 404) {
    const { session } = await serverSession();
    response = await sendTo(path, body, session?.csrf_token ?? null);
  }
  if (!response.ok) throw await errorOf(response);
  return bodyOf<`POST ${Path}`>(`POST ${path}`, response);
}

const sendTo = (path: string, body: object, csrf_token: string | null): Promise<Response> =>
  send(path, {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...(csrf_token !== null && { "x-csrf-token": csrf_token }),
    },
    body: JSON.stringify(body),
  });
