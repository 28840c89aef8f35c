import { setTimeout as delay } from "node:timers/promises";
import { writeScript } from "../../server/src/formats/script/write.ts";
import { envelope } from "../../server/test/support/samples/script-samples.ts";
import type { Account } from "../account.ts";
import { prescriptionFor } from "../intake-message.ts";
import type { Stage } from "../stage.ts";

/** Paths below the base of each app. */
export type Examples = { dashboard: string[]; portal: string[] };

const LOG_WITHIN_MS = 60_000;

/** Makes one of each record that has a screen of its own. Returns the paths of those screens. */
export async function addExamples({ db }: Stage, { account_id, ask }: Account): Promise<Examples> {
  const post = async <Made>(path: string, body: object): Promise<Made> =>
    (await ask(path, { method: "POST", body })).json as Made;
  const one = async (text: string, ...values: unknown[]) => (await db.raw(text, [account_id, ...values])).rows[0];
  const simulate = <Made>(simulation_type: string, simulation: object) =>
    post<Made>("/simulate", { simulation_type, simulation });

  const endpoint = await post<{ id: string }>("/webhook_endpoints", {
    url: "http://127.0.0.1:9/hook",
    secret: "a secret",
  });
  const prescribed = { drug_name: "atorvastatin", refills_left: 3 };
  const { patient_id, prescription_id } = await simulate<Ids>("prescription", prescribed);
  const shipping = { method_id: 1 };
  const order = { shipping, patient: { patient_id }, items: [{ prescription_id }] };
  const { order_number } = await post<{ order_number: string }>("/orders", order);
  // What ships is on the month's statement, and every step is an event.
  await simulate("order", { order_number, to: "Delivered" });
  const consent = { given_at: "2026-01-01T08:00:00Z", method: "electronic" };
  const due = { patient_id, prescription_id, shipping, every_days: 30, consent };
  const { schedule_id } = await post<{ schedule_id: string }>("/refill_schedules", due);
  await simulate("prescription", { script: unsigned() });

  const statements = await ask("/statements?limit=1");
  const { month } = (statements.json as { statements: { month: string }[] }).statements[0]!;
  const { webhook_events } = (await ask("/webhook_events?limit=1")).json as { webhook_events: { event_id: string }[] };
  const { review_id } = (await one("select review_id from review where account_id = $1 limit 1"))!;
  const { patient_key } = (await one(
    "select patient_key from orders where account_id = $1 and order_number = $2",
    order_number,
  ))!;
  const { request_id } = statements;
  const isLogged = () => one("select from request_log where account_id = $1 and request_id = $2::uuid", request_id);
  // The service writes its log about once a second.
  for (const end = Date.now() + LOG_WITHIN_MS; (await isLogged()) === undefined; await delay(100)) {
    if (Date.now() > end) throw new Error("the request is not in the log");
  }
  return {
    dashboard: [
      `/order/${account_id}/${order_number}`,
      `/patient/${account_id}/${patient_key}`,
      `/reviews/${account_id}/${review_id}`,
      `/statements/${account_id}/${month}`,
      `/partners/${account_id}`,
    ],
    portal: [
      `/sandbox/orders/${order_number}`,
      `/sandbox/refills/${schedule_id}`,
      `/sandbox/statements/${month}`,
      `/sandbox/webhooks/${endpoint.id}`,
      `/sandbox/events/${webhook_events[0]!.event_id}`,
      `/sandbox/requests/${request_id}`,
    ],
  };
}

type Ids = { patient_id: string; prescription_id: number };

/** A controlled prescription without a signature, which a pharmacist must review. */
const unsigned = (): string =>
  writeScript(
    envelope("2017071"),
    {
      kind: "new",
      prescription: {
        ...prescriptionFor("1000001"),
        drug: { description: "Zolpidem 5 mg tablet", codes: [], strength: null, schedule: null },
        signature_evidence: false,
      },
    },
    "2017071",
  );
