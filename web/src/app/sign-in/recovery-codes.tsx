import { RECOVERY_CODES } from "@pestle/contract";
import { ShownOnce } from "../../ui/controls/shown-once.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { say } from "../../ui/words/say.tsx";

/** An authenticator's code or a recovery code, for the `pattern` of a field. */
export const CODE_PATTERN = "[0-9 ]{6,7}|[A-Za-z2-7 \\-]{16,23}";
export const codeHint = ({ totp_on }: { totp_on: boolean }): string =>
  totp_on
    ? say("The 6-digit code from your authenticator app, or a recovery code.")
    : say("One of your recovery codes.");

/** The new codes, shown one time. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <ShownOnce
      title={say("Your recovery codes")}
      keep={say(
        "Print them or save them where you can reach them without your phone. Each signs you in once. Earlier codes no longer work.",
      )}
      secrets={[{ label: say("Codes"), text: codes.join("\n") }]}
      onClose={onClose}
    />
  );
}

/** Counts the codes down for a user who has just used one. */
export function countDown(code: string, left: number): void {
  if (/[a-z]/i.test(code))
    toast(say("You used a recovery code. {left} of {all} are left.", { left, all: RECOVERY_CODES }));
}
