import { scheduleByName } from "./controlled-drugs.ts";
import type { Fault } from "./file-table.ts";
import type {
  BrandRow,
  Catalogue,
  CatalogueKind,
  LicenceRow,
  ProductRow,
  Row,
  ShippingMethodRow,
  StockRow,
} from "./rows.ts";

/** A row as it would be after the import. `at` is null if the file does not contain it. */
export type PlannedRow<R = Row> = { at: string | null; row: R };

type RowRule<R> = { column: string; broken(row: R, around: Catalogue): boolean; sentence: string };
type WholeRule<R> = {
  column: string;
  /** Returns the places that break the rule. */
  broken(rows: readonly PlannedRow<R>[], around: Catalogue): string[];
  sentence: string;
  /** Skipped if any row of the file is unreadable, because that row could be the missing one. */
  needs_all?: true;
};
type Rules<R> = { rows: readonly RowRule<R>[]; whole: readonly WholeRule<R>[] };

/** Also for an ingredient that is given by its brand, which only the safety tables recognize. */
export const CONTROLLED = "An ingredient is a controlled substance (21 CFR 1308). Enter its schedule.";

/** An order has at most 50 items, and its amount must fit into 2^31 cents. */
const MOST_ITEM_CENTS = 40_000_000;

const oneDefault: WholeRule<{ default: boolean }> = {
  column: "default",
  broken(rows) {
    const defaults = rows.filter(({ row }) => row.default);
    return defaults.length === 1 ? [] : [defaults.find(({ at }) => at !== null)?.at ?? "file"];
  },
  sentence: "Exactly one row must be the default.",
  needs_all: true,
};

/** Rules that single columns cannot express: rules for a row, and rules across rows. */
export const catalogueRules: {
  products: Rules<ProductRow>;
  brands: Rules<BrandRow>;
  shipping_methods: Rules<ShippingMethodRow>;
  licences: Rules<LicenceRow>;
  stock: Rules<StockRow>;
} = {
  products: {
    rows: [
      {
        column: "ndc",
        broken: ({ rx_only, ndc }) => rx_only && ndc === null,
        sentence: "A product that needs a prescription must have an NDC, because prescriptions name it.",
      },
      {
        column: "gcn",
        broken: ({ rx_only, gcn }) => rx_only && gcn === null,
        sentence: "A product that needs a prescription must have a GCN, which links brand and generic.",
      },
      {
        column: "rx_only",
        broken: ({ rx_only, drug_schedule }) => !rx_only && drug_schedule !== "0",
        sentence: "A controlled substance must need a prescription.",
      },
      {
        column: "drug_schedule",
        broken: ({ ingredients, drug_schedule }) =>
          drug_schedule === "0" && scheduleByName(ingredients.join(" ")) !== "0",
        sentence: CONTROLLED,
      },
      {
        column: "ingredients",
        broken: ({ is_drug, ingredients }) => is_drug && ingredients.length === 0,
        sentence:
          "A drug must list its ingredients, because the safety checks use them. If it is not a drug, set is_drug to false.",
      },
      {
        column: "is_drug",
        broken: ({ is_drug, rx_only, ingredients }) => !is_drug && (rx_only || ingredients.length > 0),
        sentence: "A product with ingredients, or one that needs a prescription, is a drug.",
      },
      {
        column: "shipping_method_ids",
        broken: ({ shipping_method_ids }, { shipping_methods }) =>
          !shipping_method_ids.every((id) => shipping_methods.some((method) => method.id === id)),
        sentence: "The account has no shipping method with this id. Import shipping_methods first.",
      },
      {
        column: "shipping_method_ids",
        broken: ({ cold_chain, shipping_method_ids }, { shipping_methods }) =>
          cold_chain &&
          shipping_methods.some((method) => shipping_method_ids.includes(method.id) && !method.cold_chain),
        sentence: "A cold-chain product can ship only by methods that keep it cold.",
      },
      {
        column: "price_cents",
        broken: ({ price_cents, quantities }) => price_cents * Math.max(...quantities) > MOST_ITEM_CENTS,
        sentence: `The largest of the quantities can cost at most ${MOST_ITEM_CENTS} cents.`,
      },
    ],
    whole: [
      {
        column: "ndc",
        broken(rows) {
          const seen = new Map<string, PlannedRow>();
          return rows.flatMap((planned) => {
            const { ndc } = planned.row;
            if (ndc === null) return [];
            const first = seen.get(ndc);
            seen.set(ndc, first ?? planned);
            return first === undefined ? [] : [planned.at ?? first.at ?? "file"];
          });
        },
        sentence: "Another product has this NDC.",
      },
    ],
  },
  brands: { rows: [], whole: [oneDefault] },
  shipping_methods: {
    rows: [
      {
        column: "transit_days_max",
        broken: ({ transit_days_min, transit_days_max }) => transit_days_max < transit_days_min,
        sentence: "It is less than transit_days_min.",
      },
      {
        column: "cold_chain",
        broken: ({ id, cold_chain }, { products }) =>
          !cold_chain && products.some((product) => product.cold_chain && product.shipping_method_ids.includes(id)),
        sentence: "Cold-chain products ship by this method. Import products without it first.",
      },
    ],
    whole: [
      oneDefault,
      {
        column: "id",
        broken(rows, { products, shipping_methods }) {
          const left_out = shipping_methods.filter(({ id }) => !rows.some(({ row }) => row.id === id));
          const used = new Set(products.flatMap(({ shipping_method_ids }) => shipping_method_ids));
          return left_out.filter(({ id }) => used.has(id)).map(({ id }) => `method ${id}, left out`);
        },
        sentence: "Products ship by this method. Import products without it first.",
        needs_all: true,
      },
    ],
  },
  licences: {
    rows: [
      {
        column: "valid_to",
        broken: ({ valid_from, valid_to }) => valid_to < valid_from,
        sentence: "It is before valid_from.",
      },
    ],
    whole: [],
  },
  stock: {
    rows: [
      {
        column: "on_hand_units",
        broken: ({ on_hand_units, reserved_units }) => on_hand_units < reserved_units,
        sentence: "Orders have reserved more than this.",
      },
    ],
    whole: [],
  },
};

/** Returns every rule that the file's rows break. `all`: whether every row could be read. */
export function brokenRules(
  kind: CatalogueKind,
  rows: readonly PlannedRow[],
  around: Catalogue,
  all: boolean,
): Fault[] {
  const rules = catalogueRules[kind] as unknown as Rules<Row>;
  const ofRows = rows.flatMap(({ at, row }) =>
    at === null
      ? []
      : rules.rows
          .filter(({ broken }) => broken(row, around))
          .map(({ column, sentence }) => ({ at, column, sentence })),
  );
  const ofWhole = rules.whole
    .filter(({ needs_all }) => all || needs_all === undefined)
    .flatMap(({ column, broken, sentence }) => broken(rows, around).map((at) => ({ at, column, sentence })));
  return [...ofRows, ...ofWhole];
}
