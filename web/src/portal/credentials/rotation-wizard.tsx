import type { PortalCredential, PortalShownSecret } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { signedByOld } from "../../app/credential/signed-endpoints.tsx";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { ShownOnce } from "../../ui/controls/shown-once.tsx";
import { counted } from "../../ui/counted.ts";
import { Dialog } from "../../ui/display/dialog.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { RotationSteps } from "./rotation-steps.tsx";
import { type SentTest, TestDeliveries } from "./test-deliveries.tsx";

/**
 * The rotation of a client secret, step by step: save the new one, sign the endpoints with it, send each a test, and end
 * the old one. Both secrets work until the last step, and a user can leave and continue at any time.
 */
export function RotationWizard({
  credential,
  shown,
  onClose,
}: {
  credential: PortalCredential;
  /** The new secret, right after its creation. */
  shown: PortalShownSecret | null;
  onClose: () => void;
}) {
  const [saved, setSaved] = useState(shown === null);
  if (saved || shown === null) return <SwitchAndEnd credential={credential} onClose={onClose} />;
  const { client_id, client_secret } = shown;
  return (
    <ShownOnce
      title={say("New secret of “{name}”", { name: credential.name })}
      lead={<RotationSteps at="save" />}
      onClose={() => setSaved(true)}
      keep={say("The pharmacy cannot show it either. Store it in a secrets manager, not in source code.")}
      secrets={[
        { label: say("Client ID"), text: client_id },
        { label: say("Client secret"), text: client_secret },
        { label: say("Shell variables"), text: `CLIENT_ID=${client_id}\nCLIENT_SECRET=${client_secret}` },
      ]}
    >
      <p>
        {say(
          "The old secret keeps working until the last step. Give the new one to your apps, and make your webhook receivers accept either. You can close the next step and continue later.",
        )}
      </p>
    </ShownOnce>
  );
}

function SwitchAndEnd({ credential, onClose }: { credential: PortalCredential; onClose: () => void }) {
  const { api_base } = usePortal();
  const { credential_id, name, secrets, signs_endpoints } = credential;
  const path = `${api_base}/credentials` as const;
  const reads = [path, `${api_base}/webhook_endpoints`, `${api_base}/webhook_events`, `${api_base}/home`] as const;
  const [tests, setTests] = useState<readonly SentTest[] | null>(null);
  const [old, new_] = [secrets[0], secrets.at(-1)];
  const sign = (secret_id: number) => api(`${path}/${credential_id}/sign`, { method: "POST", body: { secret_id } });
  const change = useChange(
    async () => {
      await sign(new_!.secret_id);
      return Promise.all(
        signs_endpoints.map(async ({ id, url }): Promise<SentTest> => {
          // A disabled endpoint takes no test. Its webhooks are signed with the new secret once it is enabled.
          const sent = await api(`${api_base}/webhook_endpoints/${id}/test`, { method: "POST", body: {} }).catch(
            () => null,
          );
          return { url, event_id: sent?.event_id ?? null };
        }),
      );
    },
    { reads, after: setTests },
  );
  const back = useChange(() => sign(old!.secret_id), {
    done: say("Endpoints are signed with the old secret again."),
    reads,
    after: () => setTests(null),
  });
  const end = useChange(() => api(`${path}/${credential_id}/finish`, { method: "POST" }), {
    done: say("Rotation finished. The old secret has ended."),
    reads,
    after: onClose,
  });
  const waiting = signedByOld(credential);
  const to_switch = tests === null && waiting.length > 0;
  const failed = change.error ?? back.error ?? end.error;
  return (
    <Dialog
      title={say("Rotate the secret of “{name}”", { name })}
      onClose={onClose}
      wide
      actions={
        to_switch ? (
          <>
            <Button onClick={onClose}>{say("Finish later")}</Button>
            <Button key="switch" tone="primary" data-first busy={change.busy} onClick={() => void change.run()}>
              {say("Switch and test")}
            </Button>
          </>
        ) : (
          // A step without undo must not be under the pointer or the key of the step before.
          <>
            <Button key="end" tone="danger" busy={end.busy} onClick={() => void end.run()}>
              {say("End old secret")}
            </Button>
            {signs_endpoints.length > 0 && (
              <Button busy={back.busy} onClick={() => void back.run()}>
                {say("Switch back")}
              </Button>
            )}
            <Button onClick={onClose}>{say("Finish later")}</Button>
          </>
        )
      }
    >
      <RotationSteps at={to_switch ? "switch" : "end"} />
      {to_switch ? (
        <>
          <p>
            {sayWith(
              "The old secret signs the webhooks of {endpoints}. Pestle signs them with the new one from the next attempt on, and sends each a test event.",
              { endpoints: counted(waiting.length, "endpoint") },
            )}
          </p>
          <ul>
            {waiting.map(({ id, url }) => (
              <li key={id}>
                <code className="anywhere">{url}</code>
              </li>
            ))}
          </ul>
          <Notice tone="info">
            {say("Check first that your receivers accept the new secret and still the old one.")}
          </Notice>
        </>
      ) : (
        <>
          {tests !== null && <TestDeliveries tests={tests} />}
          <p>
            {say(
              "Token requests with the old secret then fail immediately. Tokens already issued stay valid until they expire. You cannot undo this.",
            )}
          </p>
          <ul>
            {secrets.map((secret) => (
              <li key={secret.secret_id} className="row">
                {secret === old ? say("Old secret") : say("New secret")}{" "}
                <span className="quiet">#{secret.secret_id}</span>
                {secret.last_used_at === null ? (
                  <Badge tone={secret === old ? "neutral" : "wait"}>{say("Never used")}</Badge>
                ) : (
                  <span className="quiet small">
                    {sayWith("last used {when}", { when: <When at={secret.last_used_at} /> })}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {failed !== null && <Problem error={failed} />}
    </Dialog>
  );
}
