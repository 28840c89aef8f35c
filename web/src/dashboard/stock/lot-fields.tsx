import { type DashboardShelf, isProduct, scanFaults, scannedCode } from "@pestle/contract";
import { useState } from "react";
import { TextField } from "../../ui/controls/field.tsx";
import { say } from "../../ui/words/say.tsx";

export type NamedLot = { lot: string; expires_on: string };
export const noLot: NamedLot = { lot: "", expires_on: "" };

/** A lot and its expiration date: typed, or scanned from the package's GS1 code. */
export function LotFields({
  shelf,
  hint,
  named,
  onChange,
}: {
  shelf: DashboardShelf;
  hint: string;
  named: NamedLot;
  onChange: (named: NamedLot) => void;
}) {
  const [wrong, setWrong] = useState<string | null>(null);
  const settle = () => {
    const { code, lot, expires_on, is_gs1, fault } = scannedCode(named.lot);
    if (!is_gs1 && fault === null) return setWrong(null);
    const refused = fault === null ? (isProduct(code, shelf) ? null : OTHER_PRODUCT) : scanFaults[fault];
    setWrong(refused);
    onChange(refused === null ? { lot: lot ?? "", expires_on: expires_on ?? named.expires_on } : noLot);
  };
  return (
    <>
      <TextField
        label={say("Lot")}
        hint={hint}
        // The scanned code is longer than the lot parsed from it.
        maxLength={200}
        spellCheck={false}
        problem={wrong}
        value={named.lot}
        onChange={(event) => onChange({ ...named, lot: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // A scanner ends with Enter.
          event.preventDefault();
          settle();
        }}
        onBlur={settle}
      />
      <TextField
        label={say("Expires on")}
        type="date"
        required={named.lot.trim() !== ""}
        value={named.expires_on}
        onChange={(event) => onChange({ ...named, expires_on: event.target.value })}
      />
    </>
  );
}

const OTHER_PRODUCT = say("The scanned package is of another product.");
