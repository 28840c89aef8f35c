import { isSentObject } from "../values/unknown-fields.ts";

const LONGEST = 2_000;
const LONGEST_NAME = 40;
const LONGEST_TEXT = 60;
const MOST_ITEMS = 5;
/** More do not fit into the longest text, and a hostile body must not cost much. */
const MOST_FIELDS = 100;

/** Fields that hold codes and choices. Their values say nothing about a patient, and a developer looks for them first. */
const SHOWN = new Set([
  "action",
  "brand_id",
  "country",
  "dry_run",
  "event_type",
  "event_types",
  "exception_id",
  "format",
  "ignore_warnings",
  "interval_days",
  "kind",
  "method_id",
  "payer",
  "quantity",
  "reason_id",
  "shipping_method_id",
  "signature_confirmation",
  "start",
  "state",
  "to",
]);

/**
 * A rejected body without the data of people, for the developer who sent it: every field, the values of `SHOWN`, and of
 * all others only the shape (`xxx@xxxxx.xxx`, `9999-99-99`, `<number>`). Null if there is none to show.
 */
export function redactBody(body: unknown): string | null {
  if (!isSentObject(body) || Object.keys(body).length === 0) return null;
  const text = JSON.stringify(shapeOf(body, false, { fields: MOST_FIELDS }), null, 2);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n…`;
}

function shapeOf(value: unknown, shown: boolean, left: { fields: number }): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST_ITEMS).map((item) => shapeOf(item, shown, left));
    return value.length > MOST_ITEMS ? [...items, `<${value.length - MOST_ITEMS} more>`] : items;
  }
  if (typeof value === "object") {
    const fields: [string, unknown][] = [];
    for (const name in value) {
      if (left.fields === 0) break;
      left.fields -= 1;
      fields.push([shownName(name), shapeOf((value as Record<string, unknown>)[name], SHOWN.has(name), left)]);
    }
    return Object.fromEntries(fields);
  }
  if (typeof value !== "string") return shown ? value : `<${typeof value}>`;
  if (value.length > LONGEST_TEXT) return `<${value.length} characters>`;
  return shown && /^[\w. -]*$/.test(value) ? value : shape(value);
}

/** A name that no field of an API would have can be data too. */
const shownName = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : shape(name)).slice(0, LONGEST_NAME);

const shape = (text: string) => text.replaceAll(/\p{N}/gu, "9").replaceAll(/[\p{L}\p{M}]/gu, "x");
