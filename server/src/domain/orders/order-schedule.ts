import type { DrugSchedule } from "@pestle/contract";
import { strictest } from "../catalogue/controlled-drugs.ts";
import type { Formulary } from "../catalogue/formulary.ts";
import type { StoredItem } from "./order-answer.ts";

/** The strictest schedule of an order's products and of the prescriptions that they fill. */
export const orderSchedule = (
  items: readonly Pick<StoredItem, "sku" | "prescription_id">[],
  prescriptions: readonly { prescription_id: number; drug_schedule: DrugSchedule }[],
  { by_sku }: Pick<Formulary, "by_sku">,
): DrugSchedule =>
  strictest(
    items.flatMap(({ sku, prescription_id }) => [
      by_sku.get(sku)?.drug_schedule ?? "0",
      prescriptions.find((one) => one.prescription_id === prescription_id)?.drug_schedule ?? "0",
    ]),
  );
