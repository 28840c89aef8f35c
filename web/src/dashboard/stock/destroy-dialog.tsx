import {
  type DashboardShelf,
  type DestructionReason,
  type DestructionRequest,
  destructionReasons,
  NOTE_CHARACTERS,
} from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";

/** The units to destroy: of a lot, or of the stock whose lot is unknown. */
export type Destroyed = { lot: string | null; returned: boolean; most: number; reason: DestructionReason };

/** Records destroyed units, with the witness if the product is controlled. */
export function DestroyDialog({
  shelf,
  destroyed,
  path,
  onClose,
}: {
  shelf: DashboardShelf;
  destroyed: Destroyed;
  path: `/dashboard/stock/${string}`;
  onClose: () => void;
}) {
  const { sku, name, controlled } = shelf;
  const { lot, returned, most } = destroyed;
  const { person_id: me } = useSignedIn();
  const people = useApi("/dashboard/colleagues", { enabled: controlled });
  const [given, setGiven] = useState({ units: "", note: "", reason: destroyed.reason, witness_id: "" });
  const send = useChange(
    () => {
      const { reason, witness_id } = given;
      const note = given.note.trim();
      const body: DestructionRequest = {
        ...{ sku, units: Number(given.units), returned, reason, ...(lot !== null && { lot }) },
        ...(note !== "" && { note }),
        ...(witness_id !== "" && { witness_id }),
      };
      return api(`${path}/destroy`, { method: "POST", body });
    },
    {
      reads: [path],
      after: () => {
        toast(say("{name}: {units} destroyed.", { name, units: numberText(Number(given.units)) }));
        onClose();
      },
    },
  );
  return (
    <Dialog
      title={say("Destroy: {name}", { name })}
      onClose={onClose}
      onSubmit={() => void send.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="danger" type="submit" busy={send.busy}>
            {say("Record destruction")}
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          [say("Lot"), lot === null ? say("Unknown") : <code key="lot">{lot}</code>],
          [returned ? say("Returned") : say("On the shelf"), numberText(most)],
        ]}
      />
      <TextField
        label={say("Quantity destroyed")}
        hint={say("Tablets, milliliters or pieces, not packages.")}
        type="number"
        inputMode="decimal"
        min={0.001}
        max={most}
        step="0.001"
        required
        autoFocus
        problem={problemOf(send.error, "units")}
        value={given.units}
        onChange={(event) => setGiven({ ...given, units: event.target.value })}
      />
      <SelectField
        label={say("Reason")}
        hint={controlled ? sayName(destructionReasons[given.reason].also) : undefined}
        value={given.reason}
        onChange={(event) => setGiven({ ...given, reason: event.target.value as DestructionReason })}
        options={Object.entries(destructionReasons).map(([code, { says }]) => [code, sayName(says)] as const)}
      />
      {controlled && (
        <SelectField
          label={say("Witness")}
          hint={say("The colleague who watched.")}
          required
          value={given.witness_id}
          onChange={(event) => setGiven({ ...given, witness_id: event.target.value })}
          options={[
            ["", say("Choose")],
            ...(people.data?.colleagues ?? [])
              .filter(({ person_id }) => person_id !== me)
              .map((one) => [one.person_id, `${one.name}, ${sayName(one.role)}`] as const),
          ]}
        />
      )}
      <TextField
        label={say("Note")}
        placeholder={say("Document or method")}
        required={controlled}
        maxLength={NOTE_CHARACTERS}
        value={given.note}
        onChange={(event) => setGiven({ ...given, note: event.target.value })}
      />
      {send.error !== null && problemOf(send.error, "units") === null && <Problem error={send.error} />}
    </Dialog>
  );
}
