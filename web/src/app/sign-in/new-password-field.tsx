import { SHORTEST_PASSWORD } from "@pestle/contract";
import { TextField } from "../../ui/controls/field.tsx";
import { say } from "../../ui/words/say.tsx";

/** A password that the user chooses. The server checks it against common passwords and the user's own data. */
export function NewPasswordField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextField
      label={say("New password")}
      hint={say("At least {least} characters. Several words that do not belong together are a good choice.", {
        least: SHORTEST_PASSWORD,
      })}
      type="password"
      autoComplete="new-password"
      minLength={SHORTEST_PASSWORD}
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
