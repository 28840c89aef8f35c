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
import { LotFields, type NamedLot, noLot } from "./lot-fields.tsx";

const moves = {
  receive: {
    title: "Receive",
    label: "Quantity received",
    hint: "Tablets, milliliters or pieces, not packages.",
    note: "Packing slip or supplier",
    submit: "Receive stock",
    least: 0.001,
  },
  count: {
    title: "Count",
    label: "Units on the shelf",
    hint: "Your count replaces the recorded quantity. Pestle logs the difference.",
    note: "Reason for the difference",
    submit: "Save count",
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
        toast(`${name}: ${moved.on_hand_units.toLocaleString()} on hand.`);
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
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" type="submit" busy={send.busy}>
            {submit}
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ["SKU", <code key="sku">{sku}</code>],
          ["On hand", `${on_hand_units.toLocaleString()} (${reserved_units.toLocaleString()} reserved)`],
          ["Available", free_units.toLocaleString()],
          [
            "New quantity",
            given.units !== "" && Number.isFinite(after) && (move === "receive" || lot === "") && (
              <strong>
                {after.toLocaleString()} on hand
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
              ? "Scan the package's 2D code to fill in both fields. Leave both empty if the lot is unknown."
              : "Name a lot to count only that lot. Leave both empty to count the whole product."
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
        label="Note"
        placeholder={note_label}
        maxLength={NOTE_CHARACTERS}
        value={given.note}
        onChange={(event) => setGiven({ ...given, note: event.target.value })}
      />
      {move === "count" && (
        <SelectField
          label="Reason"
          hint="A pharmacist must give a reason and a note if a controlled substance differs."
          value={given.reason}
          onChange={(event) => setGiven({ ...given, reason: event.target.value as CountReason | "" })}
          options={[
            ["", "No difference, or not controlled"],
            ...Object.entries(countReasons).map(([code, { says }]) => [code, says] as const),
          ]}
        />
      )}
      {send.error !== null && problemOf(send.error, "units") === null && <Problem error={send.error} />}
    </Dialog>
  );
}

const signed = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toLocaleString()}`;
