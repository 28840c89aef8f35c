import fc from "fast-check";
import type {
  BrandRow,
  Catalogue,
  LicenceRow,
  ProductRow,
  ShippingMethodRow,
  StockRow,
} from "../../../src/domain/catalogue/rows.ts";
import { stateCodes } from "../../../src/domain/values/address/states.ts";
import { brands, licences, products, shippingMethods } from "../../../src/seed/cast.ts";

/** The demo's cast as a catalogue, with some reserved units. */
export const castCatalogue: Catalogue = {
  products: products.map(({ on_hand_units: _, ...product }) => product),
  brands,
  shipping_methods: shippingMethods,
  licences: licences(new Date("2026-11-15T12:00:00Z")),
  stock: products.map(({ sku, on_hand_units }) => ({
    sku,
    on_hand_units,
    reserved_units: Math.min(90, on_hand_units),
  })),
};

/** One line of arbitrary text, including characters that are special in CSV and JSON. */
const line = (most: number) =>
  fc
    .array(
      fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 8 }),
        fc.constantFrom(",", '"', '""', ";", "'", "\\", "é ", "=1"),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    .map((parts) =>
      parts
        .join("")
        .replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, "")
        .slice(0, most)
        .replaceAll(/\p{Cs}/gu, "")
        .trim(),
    )
    .map((text) => text || "x");

const units = fc.integer({ min: 1, max: 1_000_000_000 }).map((thousandths) => thousandths / 1000);
const some = <Item>(item: fc.Arbitrary<Item>) => fc.uniqueArray(item, { minLength: 1, maxLength: 5 });

const methods = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_000_000_000 }), { minLength: 1, maxLength: 6 })
  .chain((ids) =>
    fc.tuple(
      fc.nat(ids.length - 1),
      fc.tuple(
        ...ids.map((id) =>
          fc.record({
            id: fc.constant(id),
            name: line(255),
            carrier: line(255),
            service: line(255),
            signature_confirmation: fc.boolean(),
            po_box: fc.boolean(),
            cold_chain: fc.boolean(),
            price_cents: fc.nat(10_000_000),
            transit_days_min: fc.nat(20),
            transit_days_max: fc.integer({ min: 20, max: 365 }),
            default: fc.constant(false),
          }),
        ),
      ),
    ),
  )
  .map(([chosen, rows]): ShippingMethodRow[] => rows.map((row, index) => ({ ...row, default: index === chosen })));

const someBrands = fc
  .tuple(
    fc.nat(),
    fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 99 }), line(255)), {
      minLength: 1,
      maxLength: 5,
      selector: ([id]) => id,
    }),
  )
  .map(([chosen, rows]): BrandRow[] =>
    rows.map(([id, name], index) => ({ id, name, default: index === chosen % rows.length })),
  );

const someLicences = fc.uniqueArray(fc.constantFrom(...stateCodes), { minLength: 1, maxLength: 8 }).chain((states) =>
  fc.tuple(
    ...states.map((state) =>
      fc.record<LicenceRow>({
        state: fc.constant(state),
        number: line(255),
        status: fc.constantFrom("active", "suspended", "expired"),
        valid_from: fc.constantFrom("2024-02-29", "1999-12-31"),
        valid_to: fc.constantFrom("2024-02-29", "2146-12-31"),
      }),
    ),
  ),
);

const productsOf = (offered: readonly ShippingMethodRow[]) => {
  const ids = offered.map(({ id }) => id);
  const cold_ids = offered.filter(({ cold_chain }) => cold_chain).map(({ id }) => id);
  const product = fc.record({
    sku: line(64),
    gcn: fc.integer({ min: 1, max: 99_999 }).map(String),
    name: line(255),
    ingredients: fc.uniqueArray(
      line(60).map((text) => text.replaceAll(";", "").trim() || "y"),
      { maxLength: 4 },
    ),
    rx_only: fc.boolean(),
    drug_schedule: fc.constantFrom("0", "2", "3", "4", "5"),
    package_sizes: some(units),
    quantities: some(fc.integer({ min: 1, max: 1000 })),
    written_quantities: some(units),
    max_units: units,
    shipping_method_ids: fc.subarray(ids, { minLength: 1 }),
    blocked_states: fc.uniqueArray(fc.constantFrom(...stateCodes), { maxLength: 4 }),
    cold_chain: fc.boolean(),
    price_cents: fc.nat(40_000),
    back_orders: fc.boolean(),
    is_drug: fc.boolean(),
  });
  return fc.uniqueArray(product, { minLength: 1, maxLength: 6, selector: ({ sku }) => sku }).map((rows): ProductRow[] =>
    rows.map((row, index) => {
      const cold = row.cold_chain && cold_ids.length > 0;
      return {
        ...row,
        ndc: row.rx_only ? String(index + 1).padStart(11, "7") : null,
        gcn: row.rx_only ? row.gcn : null,
        drug_schedule: (row.rx_only ? row.drug_schedule : "0") as ProductRow["drug_schedule"],
        // Only a product without ingredients and prescription is not a drug, and a drug has ingredients.
        is_drug: row.rx_only || row.ingredients.length > 0 || row.is_drug,
        ingredients: row.ingredients.length === 0 && (row.rx_only || row.is_drug) ? ["y"] : row.ingredients,
        cold_chain: cold,
        shipping_method_ids: cold ? cold_ids : row.shipping_method_ids,
      };
    }),
  );
};

/** Valid catalogues. */
export const catalogues: fc.Arbitrary<Catalogue> = methods.chain((shipping_methods) =>
  fc
    .tuple(
      productsOf(shipping_methods),
      someBrands,
      someLicences,
      fc.array(fc.tuple(units, fc.boolean()), { minLength: 6, maxLength: 6 }),
    )
    .map(([offered, own, states, shelves]) => ({
      products: offered,
      brands: own,
      shipping_methods,
      licences: states,
      stock: offered.map(({ sku }, index): StockRow => {
        const [on_hand_units, all] = shelves[index]!;
        return { sku, on_hand_units, reserved_units: all ? on_hand_units : 0 };
      }),
    })),
);
