import { type Endpoint, endpoints } from "@pestle/contract";
import { isSentObject } from "../values/unknown-fields.ts";

const LONGEST = 2_000;
const LONGEST_NAME = 40;
const LONGEST_TEXT = 60;
const MOST_ITEMS = 5;
/** More do not fit into the longest text, and a hostile body must not cost much. */
const MOST_FIELDS = 100;

/** Numbers that say nothing about a patient. */
const SHOWN_NUMBERS = new Set(["brand_id", "every_days", "lead_days", "method_id", "quantity"]);
/** Choices that are data of a patient. */
const HIDDEN_CHOICES = new Set(["gender", "drug_schedule"]);
/** The choices that the contract offers for a field. No other text of a caller is shown: it can be anything. */
const choices = new Map<string, Set<unknown>>();
for (const { body } of endpoints as readonly Endpoint[]) collectChoices((body?.schema ?? {}) as JsonSchema);

function collectChoices({ properties = {}, items, anyOf = [], oneOf = [] }: JsonSchema): void {
  for (const [name, field] of Object.entries(properties)) {
    const offered = field.enum ?? field.items?.enum ?? (field.type === "boolean" ? [true, false] : []);
    if (!HIDDEN_CHOICES.has(name)) choices.set(name, new Set([...(choices.get(name) ?? []), ...offered]));
    collectChoices(field);
  }
  for (const inner of [...(items === undefined ? [] : [items]), ...anyOf, ...oneOf]) collectChoices(inner);
}

type JsonSchema = {
  type?: unknown;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, JsonSchema>>;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
};

/**
 * A rejected body without the data of people, for the developer who sent it: every field, the choices of the contract,
 * and of all other values only the shape (`xxx@xxxxx.xxx`, `9999-99-99`, `<number>`). Null if there is none to show.
 */
export function redactBody(body: unknown): string | null {
  if (!isSentObject(body) || Object.keys(body).length === 0) return null;
  const text = JSON.stringify(shapeOf(body, "", { fields: MOST_FIELDS }), null, 2);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n…`;
}

function shapeOf(value: unknown, field: string, left: { fields: number }): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) {
    const items = value.slice(0, MOST_ITEMS).map((item) => shapeOf(item, field, left));
    return value.length > MOST_ITEMS ? [...items, `<${value.length - MOST_ITEMS} more>`] : items;
  }
  if (typeof value === "object") {
    const fields: [string, unknown][] = [];
    for (const name in value) {
      if (left.fields === 0) break;
      left.fields -= 1;
      fields.push([shownName(name), shapeOf((value as Record<string, unknown>)[name], name, left)]);
    }
    return Object.fromEntries(fields);
  }
  if (choices.get(field)?.has(value) || (typeof value === "number" && SHOWN_NUMBERS.has(field))) return value;
  if (typeof value !== "string") return `<${typeof value}>`;
  return value.length > LONGEST_TEXT ? `<${value.length} characters>` : shape(value);
}

/** A name that no field of an API would have can be data too. */
const shownName = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : shape(name)).slice(0, LONGEST_NAME);

const shape = (text: string) => text.replaceAll(/\p{N}/gu, "9").replaceAll(/[\p{L}\p{M}]/gu, "x");
