import type { Order } from "@pestle/contract";
import { startApp } from "../../server/src/app.ts";
import { readConfig } from "../../server/src/config.ts";
import { createLog } from "../../server/src/create-log.ts";
import { seedDemo } from "../../server/src/seed/demo.ts";
import { readDemo } from "../../server/src/seed/demo-file.ts";
import { shipOrder } from "../../server/src/usecases/fulfillment/ship-order.ts";
import { approveReview, completeFill, verifyProduct } from "../../server/src/usecases/fulfillment/steps.ts";
import { loadChangingOrder } from "../../server/src/usecases/orders/load-order.ts";
import { checkPayments } from "../../server/src/usecases/orders/payments/check-payments.ts";
import { settleUnpaid } from "../../server/src/usecases/orders/settle-payment.ts";
import { lotsOf, scansOf, staff } from "../../server/test/support/workplace.ts";
import type { Ask, BrokenMoney, Told } from "./money-messages.ts";

// The whole service in a process of its own, which the campaign kills. The pharmacy's steps come as messages.
const config = readConfig(process.env);
let moved_ms = 0;
const app = await startApp(config, {
  now: () => new Date(Date.now() + moved_ms),
  log: createLog({ LOG_LEVEL: "error" }),
  password_cost: 10,
  prepare: async (deps) => readDemo(config.DATA_DIR) !== undefined || seedDemo(deps),
});
const { production } = app.deps.payments;
const breaks: Record<BrokenMoney, () => void> = {
  "an order ships without a charge": () => {
    production.capture = async ({ amount_cents }) => ({ status: "captured", amount_cents });
  },
  "a void that fails is forgotten": () => {
    production.records!.release = async () => ({ captured_cents: 0, returned_cents: 0 });
  },
};
const broken = process.env["BROKEN_MONEY"] as BrokenMoney | undefined;
if (broken !== undefined) breaks[broken]();

/** The pharmacy's steps, up to the packed order or on to the shipped one. */
async function work(account_id: string, order_number: string, until: "packed" | "shipped"): Promise<string> {
  for (;;) {
    const { order, standing } = await loadChangingOrder(app.deps, app.deps.db, account_id, order_number);
    const by = (who: keyof typeof staff) => ({ account_id, order_number, by: staff[who] });
    const whole = order as unknown as Order;
    if (standing.state === "Processing/clinical_review") await approveReview(app.deps, by("pharmacist"));
    else if (standing.state === "Filling/fill") await completeFill(app.deps, by("technician"), lotsOf(whole));
    else if (standing.state === "Filling/product_check")
      await verifyProduct(app.deps, by("pharmacist"), scansOf(whole));
    else if (standing.state === "Filling/pack" && until === "shipped") await shipOrder(app.deps, by("technician"));
    else return standing.state;
  }
}

async function answer(ask: Ask): Promise<string> {
  if (ask.do === "work") return work(ask.account_id, ask.order_number, ask.until);
  moved_ms = ask.advanced_ms;
  await settleUnpaid(app.deps);
  await checkPayments(app.deps);
  return "done";
}

const tell = (told: Told) => void process.send?.(told);
process.on("message", (ask: Ask) => {
  answer(ask).then(
    (result) => tell({ id: ask.id, result }),
    (error: Error) => tell({ id: ask.id, error: `${error.name}: ${error.message}` }),
  );
});
// The campaign ended.
process.on("disconnect", () => process.exit(0));
tell({ id: 0, result: JSON.stringify(app.addresses) });
