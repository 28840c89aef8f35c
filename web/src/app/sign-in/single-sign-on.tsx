import { type SsoOffer, ssoRefusals } from "@pestle/contract";
import { Button } from "../../ui/controls/button.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { api } from "../api.ts";
import { Problem } from "../problem.tsx";
import { useChange } from "../use-change.ts";

const isPortal = (): boolean => location.pathname.startsWith("/portal");

/** Leaves the page for the provider. */
export const startSso = (email: string): Promise<void> =>
  api("/session/sso", {
    method: "POST",
    body: { ...(isPortal() && { email: email.trim() }), return_to: location.pathname },
  }).then(({ redirect_to }) => location.assign(redirect_to));

/** The button of the staff's provider, or in the portal of the provider for the entered email address. */
export function SingleSignOn({ offer, email }: { offer: SsoOffer | null; email: string }) {
  const portal = isPortal();
  const start = useChange(() => startSso(email));
  const offered = portal ? offer?.partners : offer?.staff !== null;
  if (offer === null || !offered) return null;
  return (
    <>
      {start.error !== null && <Problem error={start.error} />}
      <Button busy={start.busy} disabled={portal && !email.includes("@")} onClick={() => void start.run()}>
        {portal
          ? say("Continue with single sign-on")
          : say("Sign in with {provider}", { provider: String(offer.staff) })}
      </Button>
    </>
  );
}

/** The reason for a failed single sign-on, which the server puts into the address. */
export function SsoRefused() {
  const code = new URLSearchParams(location.search).get("sso") ?? "";
  if (!(code in ssoRefusals)) return null;
  return <Notice tone="bad" title={sayName(ssoRefusals[code as keyof typeof ssoRefusals])} />;
}
