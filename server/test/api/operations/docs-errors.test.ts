import { type ErrorCode, errorCodes, exceptionIds } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorCauses } from "../../../../contract/src/error-causes.ts";
import { exceptionFixes } from "../../../../contract/src/exception-fixes.ts";
import { acted } from "../../support/actions.ts";
import { codesOf } from "../../support/conventions.ts";
import { type Held, held, leaves } from "../../support/held-orders.ts";
import { placed, post } from "../../support/orders.ts";
import { goodAddress, goodDocument } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

/** Codes whose examples need several steps; their tests are in order-refusals, order-actions, idempotency,
 * renewals and refill-schedules. */
const MOST_WITHOUT_EXAMPLE = 11;

type Leave = (of: Held) => Record<string, unknown> | Promise<Record<string, unknown>>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

type Body = Record<string, Record<string, unknown>> & { items?: Record<string, unknown>[] };

/** A valid order, with the fields of an example in place. */
async function orderWith(given: object, wrong: Body) {
  const simulation = { drug_name: "atorvastatin", written_qty: 90, days_supply: 90, refills_left: 3, ...given };
  const made = await post(app, { simulation_type: "prescription", simulation }, { path: "/simulate" });
  const { patient_id, prescription_id } = made.body as { patient_id: string; prescription_id: number };
  const written = Number((simulation as { written_qty: number }).written_qty);
  const { shipping, patient, address, items, ...others } = wrong;
  const document = patient?.["identity_documents"] as object[] | undefined;
  return {
    shipping: { method_id: 1, ...shipping },
    patient: {
      patient_id,
      ...patient,
      ...(document && { identity_documents: [{ ...goodDocument, ...document[0] }] }),
    },
    address: { ...goodAddress, ...address },
    items: [{ prescription_id, quantity: 1, package_size: written, ...items?.[0] }],
    ...others,
  };
}

async function answered(code: ErrorCode): Promise<Response> {
  const { example } = errorCauses[code];
  if (example === null) throw new Error("no example");
  if ("order" in example) {
    const body = await orderWith(example.prescription ?? {}, example.order as Body);
    return app.call("/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }
  if ("schedule" in example) {
    const { patient, items } = await orderWith(example.prescription ?? {}, {});
    const body = {
      patient_id: patient.patient_id,
      prescription_id: items[0]!.prescription_id,
      shipping: { method_id: 1 },
      consent: { given_at: "2026-01-01T08:00:00Z", method: "verbal" },
      ...example.schedule,
    };
    const send = (path: string, sent: object) =>
      app.call(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(sent),
      });
    const created = await send("/refill_schedules", body);
    if (example.next === undefined) return created;
    if (example.next === "create") return send("/refill_schedules", body);
    const { schedule_id } = (await created.json()) as { schedule_id: string };
    return send(`/refill_schedules/${schedule_id}/${example.next}`, {});
  }
  const [method, path] = example.request.split(" ") as [string, string];
  const order_number = path.includes("{order_number}") ? (await placed(app, await orderWith({}, {}))).order_number : "";
  if (example.order_status !== undefined) {
    const simulation = { order_number, to: example.order_status };
    await post(app, { simulation_type: "order", simulation }, { path: "/simulate" });
  }
  const prescription_id = path.includes("{prescription_id}")
    ? String((await orderWith({}, {})).items[0]!.prescription_id)
    : "";
  for (let sent = 0; sent < (example.after_messages ?? 0); sent++) {
    await post(app, { text: `No. ${sent}` }, { path: path.replace("{order_number}", order_number) });
  }
  const asked = path.replace("{order_number}", order_number).replace("{prescription_id}", prescription_id);
  return app.call(asked, {
    method,
    headers: { ...(example.body === undefined ? {} : { "content-type": "application/json" }), ...example.headers },
    ...(example.body === undefined ? {} : { body: example.body }),
  });
}

describe("the documented action closes the exception:", () => {
  test.each(exceptionIds)("%i", async (id) => {
    const { send } = exceptionFixes[id];
    const of = await held[id](app);
    const fields = await (leaves[id] as Record<string, Leave>)[send.event]!(of);
    // Replaces values that are unique to each order; everything else is sent as shown.
    const shown = Object.keys(fields).filter((name) => !["prescription_id", "dob"].includes(name));
    expect(Object.keys(fields).every((name) => name in send)).toBe(true);
    const own = Object.fromEntries(Object.entries(fields).filter(([name]) => !shown.includes(name)));
    const { order } = await acted(app, of.order, { ...send, ...own }, { partner: of.partner });
    expect(order.exceptions.map((open) => open.id)).not.toContain(id);
  });
});

describe("the documented example gets that error, and no other:", () => {
  const withExample = errorCodes.filter((code) => errorCauses[code].example !== null);
  test.each(withExample)("%i", async (code) => {
    const text = await (await answered(code)).text();
    expect(
      codesOf(text).map(([got]) => got),
      text,
    ).toEqual([code]);
  });

  test("nearly every code has an example", () => {
    expect(errorCodes.length - withExample.length).toBeLessThanOrEqual(MOST_WITHOUT_EXAMPLE);
  });
});
