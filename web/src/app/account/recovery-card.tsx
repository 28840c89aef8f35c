import { RECOVERY_CODES } from "@pestle/contract";
import { useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { say } from "../../ui/words/say.tsx";
import { api } from "../api.ts";
import { Problem } from "../problem.tsx";
import { RecoveryCodes } from "../sign-in/recovery-codes.tsx";
import { readSession, useSignedIn } from "../sign-in/session.ts";
import { useChange } from "../use-change.ts";

/** Codes for a user who loses the second factor. */
export function RecoveryCard() {
  const { recovery_codes_left: left } = useSignedIn();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const create = useChange(() => api("/session/recovery_codes", { method: "POST" }), {
    after: (made) => {
      setCodes(made.codes);
      void readSession();
    },
  });
  return (
    <Card
      title={say("Recovery codes")}
      actions={
        <Button icon="key" busy={create.busy} onClick={() => void create.run()}>
          {say("Create new codes")}
        </Button>
      }
    >
      <p>
        {left === 0
          ? say("You have no recovery codes. Create some, so that you can sign in if you lose your second factor.")
          : say("You have {left} of {all} codes left. Each signs you in once, in place of your second factor.", {
              left,
              all: RECOVERY_CODES,
            })}
      </p>
      {create.error !== null && <Problem error={create.error} />}
      {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  );
}
