import { offlineAddressValidator } from "../server/src/adapters/addresses/address-validator.ts";
import { loadZipTable } from "../server/src/adapters/addresses/zip-table.ts";
import { readConfig } from "../server/src/config.ts";
import { createCopies } from "../server/src/copies.ts";
import type { Database, Queryable } from "../server/src/db/db.ts";
import { loadOrderContextText, saveOrderText } from "../server/src/db/orders/place-order.ts";
import { calls } from "../server/src/db/schema-rows.ts";
import type { Deps } from "../server/src/deps.ts";
import { firstPositionAt } from "../server/src/domain/orders/order-answer.ts";
import { placeOrder } from "../server/src/usecases/orders/place-order.ts";
import { prepareOrder } from "../server/src/usecases/orders/prepare-order.ts";
import { loadSafetyFile } from "../server/src/usecases/safety/load-safety-data.ts";
import { productTexts } from "./order-catalogue.ts";
import { CLIENTS, concatenation, EVENT_ID_EXPRESSION, type PgbenchRun, sentText, withValues } from "./pgbench.ts";
import type { Stage } from "./stage.ts";

/** Values of the service's sample order that pgbench varies. */
export const SAMPLE_NUMBER = 9_876_543;
const SAMPLE_DISPENSE_ID = 123_456_789_012;
const EVENT_ID = "@event_id@";
/** Order numbers have ten characters. They are as scattered as the service's and unique. */
const NUMBERS = 10_000_000_000;

/**
 * The two statements of an order as the service sends them. They save what the service would save for such an order,
 * with encrypted values of the same size. Each order is for the patient with the next number.
 */
export async function orderPgbench(
  { db, vault }: Stage,
  account_id: string,
  body: (number: number) => Record<string, unknown>,
): Promise<(first: number) => Omit<PgbenchRun, "duration_ms">> {
  const now = new Date();
  const { save, order_number, order_position, fingerprint } = await sampleSave(
    { db, vault },
    account_id,
    body(SAMPLE_NUMBER),
    now,
  );
  const replaced = new Map([
    [order_number, "lpad(:scattered::text, 10, '0')"],
    [String(order_position), `(${order_position} + :number::bigint * ${firstPositionAt(new Date(1))})::text`],
    [String(SAMPLE_NUMBER), ":number::text"],
    [String(SAMPLE_DISPENSE_ID), "((:dispense_ids::bigint[])[1])::text"],
    [fingerprint, "md5(:number::text)"],
    [EVENT_ID, EVENT_ID_EXPRESSION],
    ...productTexts(SAMPLE_NUMBER),
  ]);
  const variables: Record<string, string> = {
    account_id,
    since: new Date(now.getTime() - 60_000).toISOString(),
    nth: "-1",
  };
  const types = Object.values(calls.save_order);
  const changes = save.map((value, index) =>
    value === null ? "null" : `${concatenation(value, replaced, `order_${index}`, variables)}::${types[index]}`,
  );
  const load = withValues(loadOrderContextText, [
    ":account_id",
    "decode(md5(:number::text), 'hex')",
    ":since",
    "(select w.id_index from patient w where w.account_id = :account_id and w.patient_key = :number)",
    "array[:number]::bigint[]",
    "'{}'::text[]",
    ":since",
    "1",
  ]);
  return (first) => {
    const text = [
      // A client's variables outlive its transactions, so each client takes every sixteenth number.
      "\\set nth :nth + 1",
      `\\set number ${first} + :nth * ${CLIENTS} + :client_id`,
      `\\set scattered permute(:number, ${NUMBERS})`,
      `${load} \\gset`,
      `${withValues(saveOrderText, changes)};`,
    ];
    return { scripts: [{ text: `${text.join("\n")}\n`, weight: 1 }], variables };
  };
}

/** Lets the service place an order and captures what it would save. */
async function sampleSave(
  { db, vault }: Pick<Stage, "db" | "vault">,
  account_id: string,
  body: Record<string, unknown>,
  now: Date,
): Promise<{ save: (string | null)[]; order_number: string; order_position: number; fingerprint: string }> {
  let save: (string | null)[] = [];
  const taking: Queryable = {
    ...db,
    async row<Params extends readonly unknown[], Row>(
      statement: { name: string; text: string },
      params: Params,
    ): Promise<Row | undefined> {
      if (statement.text === saveOrderText) {
        save = params.map((value) => sentText(value));
        return { announced: null } as Row;
      }
      const found = await db.row<Params, Row>(statement, params);
      return { ...found, dispense_ids: [SAMPLE_DISPENSE_ID] } as Row;
    },
  };
  const zips = loadZipTable("");
  const validator = offlineAddressValidator(zips);
  const config = readConfig({});
  const { data } = loadSafetyFile(config);
  const deps = {
    config,
    safety: { current: () => ({ data: data! }) },
    db: taking as Database,
    vault,
    bus: { fresh: () => false },
    copies: createCopies(),
    zips,
    address_validators: { sandbox: validator, production: validator },
  } as unknown as Deps;
  const orderer = { account_id, environment: "sandbox" as const, clock_offset_s: 0 };
  const prepared = await prepareOrder({ ...deps, db }, orderer, body, () => JSON.stringify(body), now);
  const { order } = await placeOrder(deps, taking, prepared, now);
  if (order.exceptions.length > 0) throw new Error("the sample order is held");
  // The service draws a new event id each time; here all ids are one text.
  const anonymous = save.map(
    (value) => value?.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, EVENT_ID) ?? null,
  );
  const order_position = Number(save[Object.keys(calls.save_order).indexOf("order_position")]);
  const fingerprint = prepared.fingerprint.toString("hex");
  return { save: anonymous, order_number: order.order_number, order_position, fingerprint };
}
