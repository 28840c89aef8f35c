import { NOTE_CHARACTERS, type ReturnRequest } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { say } from "../../ui/words/say.tsx";

/** Books the units of a parcel that came back. */
export function ReturnDialog({ path, onClose }: { path: `/dashboard/stock/${string}`; onClose: () => void }) {
  const [given, setGiven] = useState({ order_number: "", note: "" });
  const send = useChange(
    () => {
      const note = given.note.trim();
      const order_number = given.order_number.trim().toUpperCase();
      const body: ReturnRequest = { order_number, ...(note !== "" && { note }) };
      return api(`${path}/return`, { method: "POST", body });
    },
    {
      reads: [path],
      after: ({ order_number, lines }) => {
        const sum = lines.reduce((total, { units }) => total + units, 0);
        toast(say("Order {order_number}: {units} returned.", { order_number, units: counted(sum, "unit") }));
        onClose();
      },
    },
  );
  return (
    <Dialog
      title={say("Returned parcel")}
      onClose={onClose}
      onSubmit={() => void send.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={send.busy}>
            {say("Book return")}
          </Button>
        </>
      }
    >
      <p>{say("The units do not go back to the shelf. Destroy them from the list of lots.")}</p>
      <TextField
        label={say("Order number")}
        hint={say("On the packing slip. The order belongs to the partner chosen above.")}
        required
        autoFocus
        maxLength={10}
        spellCheck={false}
        value={given.order_number}
        onChange={(event) => setGiven({ ...given, order_number: event.target.value })}
      />
      <TextField
        label={say("Note")}
        placeholder={say("Condition of the parcel")}
        maxLength={NOTE_CHARACTERS}
        value={given.note}
        onChange={(event) => setGiven({ ...given, note: event.target.value })}
      />
      {send.error !== null && <Problem error={send.error} />}
    </Dialog>
  );
}
