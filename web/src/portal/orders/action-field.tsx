import {
  type ActionField,
  type ActionKey,
  type Address,
  type actions,
  type Order,
  orderStatusReasons,
} from "@pestle/contract";
import { problemOf } from "../../app/api.ts";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { moneyText } from "../../ui/money.ts";
import { stateCodes } from "../../ui/us-states.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import styles from "./action-field.module.css";

export type FieldValue = string | Record<string, string>;
type Given = {
  field: ActionField;
  order: Order;
  value: FieldValue;
  error: unknown;
  onChange: (value: FieldValue) => void;
};

type FieldName = (typeof actions)[ActionKey]["fields"][number]["name"];
const labels: Record<FieldName, string> = {
  email: say("Email"),
  address: say("Address"),
  prescription_id: say("Prescription number"),
  dob: say("Date of birth"),
  item_id: say("Item"),
  token: say("Payment token"),
  reason_id: say("Reason"),
  amount_cents: say("Amount in dollars"),
};
const hints: Record<string, string> = {
  prescription_id: say("The prescription to fill instead."),
  token: say("A new token from your payment provider."),
};
const addressParts = [
  ["first_name", say("First name")],
  ["last_name", say("Last name")],
  ["street1", say("Street")],
  ["street2", say("Apartment or suite")],
  ["city", say("City")],
  ["state", say("State")],
  ["zip", say("ZIP code")],
  ["phone", say("Phone")],
] as const satisfies readonly (readonly [keyof Address, string])[];
const optionalParts: readonly string[] = ["street2", "phone"];

/** Prefills the field from the order. */
export function initialValue({ name }: ActionField, order: Order): FieldValue {
  if (name === "address") {
    return Object.fromEntries(addressParts.map(([part]) => [part, order.address?.[part] ?? ""]));
  }
  if (name === "item_id") return String(order.items[0]?.item_id ?? "");
  if (name === "reason_id") return String(orderStatusReasons[0].id);
  return "";
}

/** The request value. Undefined leaves the field out. */
export function sentValue({ name, type }: ActionField, value: FieldValue): unknown {
  if (typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([part, text]) => [part, text.trim() === "" ? null : text.trim()]),
    );
  }
  const text = value.trim();
  if (text === "") return undefined;
  if (name === "amount_cents") return Math.round(Number(text) * 100);
  // Send invalid numbers as text; the server validates them.
  return type === "integer" && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

export function ActionFieldInput({ field, order, value, error, onChange }: Given) {
  const { name, type } = field;
  if (typeof value === "object") return <AddressInput value={value} error={error} onChange={onChange} />;
  const common = {
    label: labels[name as FieldName],
    // A field of some exceptions only is required for these.
    required: field.required || field.only_exceptions !== undefined,
    value,
    problem: problemOf(error, name),
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (name === "reason_id") {
    return (
      <SelectField
        {...common}
        options={orderStatusReasons.map(({ id, name: shown }) => [String(id), sayName(shown)])}
      />
    );
  }
  if (name === "item_id") {
    return (
      <SelectField {...common} options={order.items.map((item) => [String(item.item_id), itemText(order, item)])} />
    );
  }
  if (name === "amount_cents") {
    const { amount_cents, refunded_cents, currency } = order.payment;
    return (
      <TextField
        {...common}
        inputMode="decimal"
        pattern="[0-9]+([.][0-9]{1,2})?"
        hint={say("Up to {amount}.", { amount: moneyText(amount_cents - refunded_cents, currency) })}
      />
    );
  }
  const kind = name === "email" ? "email" : name === "dob" ? "date" : "text";
  return (
    <TextField {...common} type={kind} hint={hints[name]} inputMode={type === "integer" ? "numeric" : undefined} />
  );
}

function AddressInput({
  value,
  error,
  onChange,
}: Pick<Given, "error" | "onChange"> & { value: Record<string, string> }) {
  return (
    <fieldset className={styles["address"]}>
      <legend className="unseen">{say("Address")}</legend>
      {addressParts.map(([part, label]) => {
        const common = {
          label,
          required: !optionalParts.includes(part),
          value: value[part] ?? "",
          problem: problemOf(error, `address.${part}`),
          onChange: (event: { target: { value: string } }) => onChange({ ...value, [part]: event.target.value }),
        };
        return (
          <div key={part} data-part={part}>
            {part === "state" ? (
              <SelectField {...common} options={[["", ""], ...stateCodes.map((code) => [code, code] as const)]} />
            ) : (
              <TextField {...common} />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

function itemText({ medication_requests }: Order, { item_id, sku, prescription_id }: Order["items"][number]): string {
  const prescribed = medication_requests.find(({ id }) => id === prescription_id)?.drug_name;
  const name = [prescribed, sku].filter((one) => one).join(", ");
  return `${item_id}: ${name || say("not chosen yet")}`;
}
