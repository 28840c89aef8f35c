import { actionKeys } from "./actions.ts";
import { exceptionIds } from "./exceptions.ts";
import { drug_schedule, ndc, order_status } from "./fields.ts";
import { array, boolean, integer, named, nullable, number, object, oneOf, type Static, string } from "./schema.ts";

/** `orderActions` lists them. */
export const OrderAction = named(
  "OrderAction",
  object({
    event_key: oneOf(actionKeys, "The value to send as `event`."),
    action: string("Human text."),
    fields: array(
      object({
        name: string(),
        type: oneOf(["string", "integer", "object"]),
        required: boolean(),
        description: string(),
      }),
      "The fields the request takes in addition to `event`.",
    ),
    exceptions: array(oneOf(exceptionIds), "The exceptions that offer it."),
    order_statuses: array(order_status, "The statuses in which you can send it."),
  }),
);
export type OrderAction = Static<typeof OrderAction>;

export const OrderStatusReason = named(
  "OrderStatusReason",
  object({ id: integer({ examples: [101] }), name: string(), kind: oneOf(["refund"]) }),
);
export type OrderStatusReason = Static<typeof OrderStatusReason>;

/** The service checks an order against the three booleans: 42292, 42293 and 42256. */
export const ShippingMethod = named(
  "ShippingMethod",
  object({
    id: integer(),
    name: string(),
    carrier: string(),
    service: string(),
    signature_confirmation: boolean("Available on request."),
    po_box: boolean("Delivers to PO Boxes and General Delivery."),
    cold_chain: boolean("Keeps the parcel cold."),
    price_cents: integer(),
    transit_days: object({ min: integer(), max: integer() }),
  }),
);
export type ShippingMethod = Static<typeof ShippingMethod>;

export const Brand = named("Brand", object({ id: integer(), name: string(), default: boolean() }));
export type Brand = Static<typeof Brand>;

/**
 * A product of the account's formulary. The four lists are complete and never empty: the service rejects a value that
 * is not in them.
 */
export const Product = named(
  "Product",
  object({
    sku: string(),
    ndc: nullable(ndc),
    gcn: nullable(string()),
    name: string(),
    rx_only: boolean("Requires a prescription."),
    drug_schedule,
    package_sizes: array(number(), { description: "Units in one package.", minItems: 1 }),
    quantities: array(integer(), { description: "Packages in one item.", minItems: 1 }),
    written_quantities: array(number(), { description: "Units in one fill as prescribed.", minItems: 1 }),
    shipping_method_ids: array(integer(), { minItems: 1 }),
    price_cents: array(integer(), {
      description: "Price of one package for your account, in cents, in the order of `package_sizes`.",
      minItems: 1,
    }),
    in_stock: boolean(),
  }),
);
export type Product = Static<typeof Product>;

/** Names of letters, digits, spaces, dashes and underscores. An input's pattern takes no bare dash in brackets. */
export const serviceLimits = { name: /^(?:\w| |-){1,60}$/, inches: 99, ounces: 1120 } as const;

/** Which carrier service each shipping method of an account buys. Null: none, so its orders get no label. */
export type ShippingServices = {
  method_id: number;
  name: string;
  /** By a person; otherwise by the built-in table. */
  chosen: boolean;
  carrier: string | null;
  service: string | null;
  length_in: number | null;
  width_in: number | null;
  height_in: number | null;
  weight_oz: number | null;
}[];
