import {
  type CountReason,
  countReasons,
  type DashboardShelf,
  NOTE_CHARACTERS,
  type StockRequest,
} from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { LotFields, type NamedLot, noLot } from "./lot-fields.tsx";

const moves = {
  receive: {
    title: say("Receive"),
    label: say("Quantity received"),
    hint: say("Tablets, milliliters or pieces, not packages."),
    note: say("Packing slip or supplier"),
    submit: say("Receive stock"),
    least: 0.001,
  },
  count: {
    title: say("Count"),
    label: say("Units on the shelf"),
    hint: say("Your count replaces the recorded quantity. Pestle logs the difference."),
    note: say("Reason for the difference"),
    submit: say("Save count"),
    least: 0,
  },
} as const;
export type Move = keyof typeof moves;

/** Receives stock or records a count. */
export function MoveDialog({
  move,
  shelf,
  path,
  onClose,
}: {
  move: Move;
  shelf: DashboardShelf;
  path: `/dashboard/stock/${string}`;
  onClose: () => void;
}) {
  const { title, label, hint, note: note_label, submit, least } = moves[move];
  const { sku, name, on_hand_units, reserved_units, free_units } = shelf;
  const [given, setGiven] = useState<{ units: string; note: string; reason: CountReason | "" }>({
    units: "",
    note: "",
    reason: "",
  });
  const [named, setNamed] = useState<NamedLot>(noLot);
  const lot = named.lot.trim();
  const units = Number(given.units);
  const after = move === "receive" ? on_hand_units + units : units;
  const send = useChange(
    () => {
      const note = given.note.trim();
      const { reason } = given;
      const body: StockRequest = {
        ...{ sku, units, ...(note !== "" && { note }), ...(reason !== "" && { reason }) },
        ...(lot !== "" && { lot, expires_on: named.expires_on }),
      };
      return api(`${path}/${move}`, { method: "POST", body });
    },
    {
      reads: [path, "/dashboard/exceptions", "/dashboard/orders?"],
      after: (moved) => {
        toast(say("{name}: {units} on hand.", { name, units: numberText(moved.on_hand_units) }));
        onClose();
      },
    },
  );
  return (
    <Dialog
      title={`${title}: ${name}`}
      onClose={onClose}
      onSubmit={() => void send.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={send.busy}>
            {submit}
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          [say("SKU"), <code key="sku">{sku}</code>],
          [
            say("On hand"),
            say("{on_hand} ({reserved} reserved)", {
              on_hand: numberText(on_hand_units),
              reserved: numberText(reserved_units),
            }),
          ],
          [say("Available"), numberText(free_units)],
          [
            say("New quantity"),
            given.units !== "" && Number.isFinite(after) && (move === "receive" || lot === "") && (
              <strong>
                {say("{units} on hand", { units: numberText(after) })}
                {move === "count" && ` (${signed(after - on_hand_units)})`}
              </strong>
            ),
          ],
        ]}
      />
      {shelf.has_lot && (
        <LotFields
          shelf={shelf}
          hint={
            move === "receive"
              ? say("Scan the package's 2D code to fill in both fields. Leave both empty if the lot is unknown.")
              : say("Name a lot to count only that lot. Leave both empty to count the whole product.")
          }
          named={named}
          onChange={setNamed}
        />
      )}
      <TextField
        label={label}
        hint={hint}
        type="number"
        inputMode="decimal"
        min={least}
        step="0.001"
        required
        autoFocus
        problem={problemOf(send.error, "units")}
        value={given.units}
        onChange={(event) => setGiven({ ...given, units: event.target.value })}
      />
      <TextField
        label={say("Note")}
        placeholder={note_label}
        maxLength={NOTE_CHARACTERS}
        value={given.note}
        onChange={(event) => setGiven({ ...given, note: event.target.value })}
      />
      {move === "count" && (
        <SelectField
          label={say("Reason")}
          hint={say("A pharmacist must give a reason and a note if a controlled substance differs.")}
          value={given.reason}
          onChange={(event) => setGiven({ ...given, reason: event.target.value as CountReason | "" })}
          options={[
            ["", say("No difference, or not controlled")],
            ...Object.entries(countReasons).map(([code, { says }]) => [code, sayName(says)] as const),
          ]}
        />
      )}
      {send.error !== null && problemOf(send.error, "units") === null && <Problem error={send.error} />}
    </Dialog>
  );
}

const signed = (value: number) => `${value < 0 ? "−" : "+"}${numberText(Math.abs(value))}`;
