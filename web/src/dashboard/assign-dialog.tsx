import { useState } from "react";
import { Loaded } from "../app/loaded.tsx";
import { Problem } from "../app/problem.tsx";
import { useSignedIn } from "../app/sign-in/session.ts";
import { Button } from "../ui/controls/button.tsx";
import { SelectField } from "../ui/controls/field.tsx";
import { counted } from "../ui/counted.ts";
import { Dialog } from "../ui/display/dialog.tsx";
import { say, sayName } from "../ui/words/say.tsx";
import { useColleagues } from "./use-colleagues.ts";

/** Claims one or more orders for a colleague. */
export function AssignDialog({
  orders = 1,
  busy,
  error,
  onClose,
  onSubmit,
}: {
  orders?: number;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onSubmit: (person_id: string) => void;
}) {
  const me = useSignedIn().person_id;
  const query = useColleagues();
  const [chosen, setChosen] = useState("");
  return (
    <Dialog
      title={orders === 1 ? say("Assign order") : say("Assign {orders}", { orders: counted(orders, "order") })}
      onClose={onClose}
      onSubmit={() => onSubmit(chosen)}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={busy}>
            {say("Assign")}
          </Button>
        </>
      }
    >
      <Loaded query={query} lines={2}>
        {({ colleagues }) => (
          <SelectField
            label={say("Colleague")}
            hint={
              orders === 1
                ? say(
                    "Only they can work on the order for 4 hours, or until they release it. They get a notification. A lead can take over.",
                  )
                : say(
                    "Only they can work on the orders for 4 hours, or until they release them. They get a notification. A lead can take over.",
                  )
            }
            required
            autoFocus
            options={[
              ["", say("Choose")],
              ...colleagues
                .filter(({ person_id }) => person_id !== me)
                .map(({ person_id, name, role }) => [person_id, `${name}, ${sayName(role)}`] as const),
            ]}
            value={chosen}
            onChange={({ target: { value } }) => setChosen(value)}
          />
        )}
      </Loaded>
      {error !== null && <Problem error={error} />}
    </Dialog>
  );
}
