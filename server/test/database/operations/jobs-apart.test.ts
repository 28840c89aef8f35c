import type { Order } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { receiveStock } from "../../../src/usecases/catalogue/move-stock.ts";
import { trackShipments } from "../../../src/usecases/fulfillment/track-shipments.ts";
import { fillDue } from "../../../src/usecases/intake/order-due-prescriptions.ts";
import { fillBackOrders } from "../../../src/usecases/orders/fill-back-orders.ts";
import { settleUnpaid } from "../../../src/usecases/orders/settle-payment.ts";
import { moveClock } from "../../../src/usecases/sandbox/simulate-clock.ts";
import { readOrder } from "../../support/actions.ts";
import { useCardProvider } from "../../support/card-provider.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { addPatient, ask, stranger } from "../../support/patient.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { workplace } from "../../support/workplace.ts";

/** An unreadable row affects only itself: a job continues with all others. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.deps.db.raw("update account set rate_per_second = 100000, rate_burst = 100000");
});
afterAll(() => app.stop());

/** The rest of an encrypted value on a disk that lost a block. */
const damaged = (column: string) => `substr(${column}, 1, 4) || decode(repeat('00', 60), 'hex')`;
const damage = ({ order_number }: Order) =>
  app.deps.db.raw(`update orders set address_sealed = ${damaged("address_sealed")} where order_number = $1`, [
    order_number,
  ]);
const account_id = () => app.demo.partners[0]!.account_id;

test("the job tracks parcels although one order does not decrypt", async () => {
  const shop = workplace(app);
  const ship = async () => shop.reach(await placed(app, (await newOrder(app)).body), "Shipped");
  const [broken, whole] = [await ship(), await ship()];
  await damage(broken);
  await app.deps.db.transaction((tx) => moveClock(tx, account_id(), 30 * 24 * 3600, app.deps.now()));
  await trackShipments(app.deps, account_id());
  expect((await readOrder(app, whole.order_number)).order_status).toBe("Delivered");
});

test("the job gives out received stock although one order does not decrypt", async () => {
  const sku = "minoxidil-2-5";
  const wait = async () => placed(app, (await newOrder(app, { prescription: prescribed(sku, 30) })).body);
  const [broken, whole] = [await wait(), await wait()];
  expect(whole.exceptions.map(({ id }) => id)).toEqual([76]);
  await damage(broken);
  await receiveStock(app.deps.db, { account_id: account_id(), sku, units: 60, note: null }, app.deps.now());
  await fillBackOrders(app.deps, account_id());
  expect((await readOrder(app, whole.order_number)).order_status).toBe("Processing");
});

test("the job requests payments although one order does not decrypt", async () => {
  const provider = useCardProvider(app);
  const { authorise } = app.deps.payments.sandbox;
  app.deps.payments.sandbox.authorise = async () => {
    throw new Error("the provider is out of reach");
  };
  const pay = async () =>
    placed(app, { ...(await newOrder(app)).body, payment: { payer: "patient", token: "tok_visa" } });
  const [broken, whole] = [await pay(), await pay()];
  app.deps.payments.sandbox.authorise = authorise;
  await damage(broken);
  app.advance(31_000);
  await settleUnpaid(app.deps);
  expect((await readOrder(app, whole.order_number)).payment.status).toBe("authorized");
  expect(provider.booksOf(whole.order_number).held).toBeGreaterThan(0);
});

test("the job turns prescriptions into orders although one patient's record does not decrypt", async () => {
  const automatic = app.demo.partners[1]!.account_id;
  const later = new Date(app.deps.now().getTime() + 3 * 24 * 3600 * 1000).toISOString().slice(0, 10);
  const add = () => addPatient(app, { partner: 1, patient: stranger(), prescription: { effective_date: later } });
  const [broken, whole] = [await add(), await add()];
  await app.deps.db.raw(`update patient set record_sealed = ${damaged("record_sealed")} where patient_key = $1`, [
    await patientKeyOf(app, automatic, broken.patient_id),
  ]);
  await app.deps.db.transaction((tx) => moveClock(tx, automatic, 5 * 24 * 3600, app.deps.now()));
  await fillDue(app.deps, automatic);
  const { text } = await ask(app, `/orders?prescription_id=${whole.prescription_id}`, undefined, { partner: 1 });
  expect(JSON.parse(text).orders).toHaveLength(1);
});
