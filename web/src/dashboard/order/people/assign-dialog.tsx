import { useState } from "react";
import { Loaded } from "../../../app/loaded.tsx";
import { Problem } from "../../../app/problem.tsx";
import { useSignedIn } from "../../../app/sign-in/session.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SelectField } from "../../../ui/controls/field.tsx";
import { Dialog } from "../../../ui/display/dialog.tsx";
import { say, sayName } from "../../../ui/words/say.tsx";
import type { DoWork } from "../use-order.ts";
import { useColleagues } from "./use-colleagues.ts";

/** Claims the order for a colleague. */
export function AssignDialog({
  work,
  onClose,
  onSubmit,
}: {
  work: DoWork;
  onClose: () => void;
  onSubmit: (person_id: string) => void;
}) {
  const me = useSignedIn().person_id;
  const query = useColleagues();
  const [chosen, setChosen] = useState("");
  const close = () => {
    work.forget();
    onClose();
  };
  return (
    <Dialog
      title={say("Assign order")}
      onClose={close}
      onSubmit={() => onSubmit(chosen)}
      actions={
        <>
          <Button onClick={close}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={work.busy}>
            {say("Assign")}
          </Button>
        </>
      }
    >
      <Loaded query={query} lines={2}>
        {({ colleagues }) => (
          <SelectField
            label={say("Colleague")}
            hint={say(
              "Only they can work on the order for 4 hours, or until they release it. They get a notification. A lead can take over.",
            )}
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
      {work.error !== null && <Problem error={work.error} />}
    </Dialog>
  );
}
