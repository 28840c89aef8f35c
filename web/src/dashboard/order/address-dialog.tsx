import type { Address } from "@pestle/contract";
import { useState } from "react";
import { problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { stateCodes } from "../../ui/us-states.ts";
import { say } from "../../ui/words/say.tsx";
import type { DoWork } from "./use-order.ts";

const fields = [
  ["first_name", say("First name"), true],
  ["last_name", say("Last name"), true],
  ["street1", say("Street"), true],
  ["street2", say("Apartment or suite"), false],
  ["city", say("City"), true],
  ["zip", say("ZIP code"), true],
  ["phone", say("Phone"), false],
] as const;

/** Changes the address of an order that has not shipped. It goes through the same checks as a partner's address. */
export function AddressDialog({
  address,
  work,
  onClose,
  onSubmit,
}: {
  address: Address;
  work: DoWork;
  onClose: () => void;
  onSubmit: (address: Address) => void;
}) {
  const [given, setGiven] = useState(address);
  const close = () => {
    work.forget();
    onClose();
  };
  const problem = (field: string) => problemOf(work.error, `address.${field}`);
  return (
    <Dialog
      title={say("Change address")}
      onClose={close}
      onSubmit={() => onSubmit(given)}
      actions={
        <>
          <Button onClick={close}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={work.busy}>
            {say("Save address")}
          </Button>
        </>
      }
    >
      <div className="grid-2">
        {fields.map(([field, label, required]) => (
          <TextField
            key={field}
            label={label}
            required={required}
            autoFocus={field === "street1"}
            problem={problem(field)}
            value={given[field] ?? ""}
            onChange={(event) => setGiven({ ...given, [field]: event.target.value || (required ? "" : null) })}
          />
        ))}
        <SelectField
          label={say("State")}
          options={[["", say("Choose")], ...stateCodes.map((code) => [code, code] as const)]}
          required
          problem={problem("state")}
          value={given.state}
          onChange={(event) => setGiven({ ...given, state: event.target.value })}
        />
      </div>
      {work.error !== null && <Problem error={work.error} />}
    </Dialog>
  );
}
