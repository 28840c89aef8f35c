import type {
  ErrorEntry,
  MedicationRequest,
  Order,
  OrderException,
  Quote,
  ShippingMethod,
  TriedOrder,
} from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { wholeNumber } from "../arguments.ts";
import { CommandRefusal, WrongUsage } from "../errors.ts";
import { readObject } from "../files.ts";
import { money, type Output } from "../output.ts";
import { openPartnerApi, type PartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";
import { refusedFields } from "../refused-fields.ts";
import type { JsonFields } from "../set-fields.ts";
import { NO_ORDER, ORDER, orderPath } from "./orders.ts";
import { exceptionText, partnerOrderText } from "./partner-order-text.ts";

type Wishes = { patient?: string; rx?: string[]; sku?: string[]; quantity?: string; packageSize?: string };
type CreateOptions = PartnerOptions &
  Wishes & { method?: string; reference?: string; brand?: string } & {
    dryRun?: boolean;
    quiet?: boolean;
    idempotencyKey?: string;
  };
type Tried = {
  would_create: boolean;
  errors: ErrorEntry[];
  exceptions: OrderException[];
  conflict: { order_number: string } | null;
  order: TriedOrder | null;
  quote: Quote | null;
};

const KEY = [
  "--idempotency-key <text>",
  "your key; running the command again with it does not create a second order",
] as const;
const QUIET = ["--quiet", "print only the order number"] as const;

export const orderCreateCommands: readonly CommandRow[] = [
  {
    name: "orders create",
    summary: "create an order from a file or from options",
    argument: ["file", "the body of `POST /orders` as JSON (`-`: standard input)", { optional: true }],
    options: [
      ["--patient <patient_id>", "the patient, when there is no file"],
      ["--rx <prescription_id...>", "the prescriptions to fill (default: the patient's only active one)"],
      ["--sku <sku...>", "over-the-counter products"],
      ["--quantity <packages>", "packages of each (default: 1)"],
      ["--package-size <units>", "units per package (default: one fill as written)"],
      ["--method <method_id>", "the shipping method (default: the account's first)"],
      ["--reference <text>", "your own id for the order"],
      ["--brand <brand_id>", "which of your brands"],
      ["--dry-run", "validate the order without creating it"],
      KEY,
      QUIET,
      ...partnerOptions,
    ],
    examples: [
      "orders create --patient ay87nt --reference inv-20931",
      "orders create --patient ay87nt --rx 183601 --package-size 90 --dry-run",
      "orders create order.json --idempotency-key inv-20931",
      "pestle orders create - --json < order.json",
    ],
    async run(options: CreateOptions, file, env) {
      if ((file === "") === (options.patient === undefined)) throw new WrongUsage("Give either a file or --patient.");
      const typed = ["rx", "sku", "quantity", "packageSize", "method", "reference", "brand"] as const;
      if (file !== "" && typed.some((name) => options[name] !== undefined)) {
        throw new WrongUsage("The file contains the whole order. Remove the other order options.");
      }
      const given = file === "" ? undefined : readObject(file);
      const api = await openPartnerApi(options, env);
      const body = given ?? (await bodyOf(api, options, options.patient!));
      if (options.dryRun) {
        return tried(await api.request<Tried>("POST", "/orders", { body, query: { dry_run: true } }));
      }
      return placed(await api.request<Order>("POST", "/orders", { body, ...keyOf(options) }), options);
    },
  },
  {
    name: "orders reorder",
    summary: "repeat an order, optionally with changes from a file",
    argument: ORDER,
    options: [
      ["--file <file>", "the changed fields as a JSON object (`-`: standard input)"],
      KEY,
      QUIET,
      ...partnerOptions,
    ],
    examples: ["orders reorder 7K2M9XQ4TB", "orders reorder 7K2M9XQ4TB --file changes.json --json"],
    async run(options: CreateOptions & { file?: string }, order_number, env) {
      const body = options.file === undefined ? {} : readObject(options.file);
      const api = await openPartnerApi(options, env);
      const path = `${orderPath(order_number)}/reorders` as const;
      return placed(await api.request<Order>("POST", path, { body, missing: NO_ORDER, ...keyOf(options) }), options);
    },
  },
];

const keyOf = ({ idempotencyKey }: CreateOptions) =>
  idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey };

const placed = (order: Order, { quiet }: CreateOptions): Output => ({
  data: order,
  text: quiet ? order.order_number : partnerOrderText(order),
});

function tried(answer: Tried): Output {
  const problems = refusedFields(answer.errors).map((line) => `✗ ${line}`);
  const { conflict } = answer;
  if (conflict !== null)
    problems.push(`✗ The same request created order ${conflict.order_number} less than a minute ago.`);
  const text = answer.would_create
    ? ["The order would be accepted.", ...quoteText(answer.quote), ...answer.exceptions.map(exceptionText)]
    : ["The order would be refused.", ...problems];
  return { data: answer, text: text.join("\n"), failed: !answer.would_create };
}

function quoteText(quote: Quote | null): string[] {
  if (quote === null) return [];
  const { total_cents, shipping_cents, ships_by, arrives_by } = quote;
  const price = `It costs at most ${money(total_cents)} for 15 minutes, with ${money(shipping_cents)} for shipping.`;
  return ships_by === null ? [price] : [price, `It ships by ${ships_by} and arrives by ${arrives_by}.`];
}

/** The simple case: one patient and one shipping method. The service validates it. */
async function bodyOf(api: PartnerApi, options: CreateOptions, patient_id: string): Promise<JsonFields> {
  const { rx, sku = [], quantity, packageSize, method, reference, brand } = options;
  const prescriptions =
    rx?.map((id) => wholeNumber(id, "--rx")) ?? (sku.length > 0 ? [] : [await onlyPrescription(api, patient_id)]);
  const amount = {
    ...(quantity !== undefined && { quantity: wholeNumber(quantity, "--quantity") }),
    ...(packageSize !== undefined && { package_size: wholeNumber(packageSize, "--package-size") }),
  };
  return {
    ...(reference !== undefined && { reference }),
    ...(brand !== undefined && { brand_id: wholeNumber(brand, "--brand") }),
    shipping: { method_id: method === undefined ? await firstMethod(api) : wholeNumber(method, "--method") },
    patient: { patient_id },
    items: [
      ...prescriptions.map((prescription_id) => ({ prescription_id, ...amount })),
      ...sku.map((one) => ({ sku: one, ...amount })),
    ],
  };
}

async function onlyPrescription(api: PartnerApi, patient_id: string): Promise<number> {
  const { medication_request } = await api.request<{ medication_request: MedicationRequest[] }>(
    "GET",
    `/patients/${encodeURIComponent(patient_id)}/rx`,
    { query: { active: true }, missing: "The account has no such patient." },
  );
  const [only, ...others] = medication_request;
  if (only === undefined) throw new CommandRefusal("The patient has no active prescription.");
  if (others.length === 0) return only.id;
  throw new WrongUsage(
    `The patient has several prescriptions. Give --rx with one of ${medication_request.map(({ id }) => id).join(", ")}.`,
  );
}

async function firstMethod(api: PartnerApi): Promise<number> {
  const { shipping_methods } = await api.request<{ shipping_methods: ShippingMethod[] }>("GET", "/shipping_methods");
  const [first] = shipping_methods;
  if (first === undefined) throw new CommandRefusal("The account has no shipping methods yet.");
  return first.id;
}
