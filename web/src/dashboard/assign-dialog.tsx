import { useState } from "react";
import { Loaded } from "../app/loaded.tsx";
import { Problem } from "../app/problem.tsx";
import { useSignedIn } from "../app/sign-in/session.ts";
import { Button } from "../ui/controls/button.tsx";
import { SelectField } from "../ui/controls/field.tsx";
import { counted } from "../ui/counted.ts";
import { Dialog } from "../ui/display/dialog.tsx";
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
      title={orders === 1 ? "Assign order" : `Assign ${counted(orders, "order")}`}
      onClose={onClose}
      onSubmit={() => onSubmit(chosen)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" type="submit" busy={busy}>
            Assign
          </Button>
        </>
      }
    >
      <Loaded query={query} lines={2}>
        {({ colleagues }) => (
          <SelectField
            label="Colleague"
            hint={`Only they can work on ${orders === 1 ? "the order" : "the orders"} for 4 hours, or until they release ${orders === 1 ? "it" : "them"}. They get a notification. A lead can take over.`}
            required
            autoFocus
            options={[
              ["", "Choose"],
              ...colleagues
                .filter(({ person_id }) => person_id !== me)
                .map(({ person_id, name, role }) => [person_id, `${name}, ${role}`] as const),
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
