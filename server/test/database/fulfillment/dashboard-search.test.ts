import type { DashboardHome, DashboardSearch, Order } from "@pestle/contract";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { IDLE_MS } from "../../../src/usecases/accounts/sign-in.ts";
import { addMissingNames } from "../../../src/usecases/patients/add-missing-names.ts";
import { damagedPatients } from "../../../src/usecases/patients/damaged-patients.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
let technician: WebPerson;
let pharmacist: WebPerson;
beforeAll(async () => {
  app = await startTestApp();
  technician = await webPerson(app, "technician");
  pharmacist = await webPerson(app, "pharmacist");
});
afterAll(() => app.stop());

const account_id = () => app.demo.partners[0]!.account_id;
const search = async (text: string): Promise<DashboardSearch> =>
  (await technician.send("POST", "/dashboard/search", { q: text })).body;
const work = (by: WebPerson, { order_number }: Order, body: object) =>
  by.send("POST", `/dashboard/orders/${account_id()}/${order_number}/work`, body);
const entries = async (action: string) =>
  (await app.deps.db.raw("select account_id, subject, person_id from audit_entry where action = $1", [action])).rows;

async function shippedOrder(patient = {}, lot = "L-1") {
  const { body, ...made } = await newOrder(app, { patient });
  const order = await placed(app, { ...body, reference: `cart ${made.patient_id}` });
  const items = order.items.map(({ item_id }) => ({ item_id, lot, lot_expires_on: "2099-01-01" }));
  const scans = order.items.map(({ item_id, ndc }) => ({ item_id, code: ndc }));
  await work(pharmacist, order, { event: "approve_review" });
  await work(technician, order, { event: "complete_fill", items });
  await work(pharmacist, order, { event: "verify_product", scans });
  await work(technician, order, { event: "print" });
  const shipped = await work(technician, order, { event: "ship" });
  return { order, ...made, tracking_no: String(shipped.body.shipments[0].tracking_no) };
}

describe("the search", () => {
  test("finds an order by each of its numbers, by reference and by person, and shows no name", async () => {
    const contact = { phone: "(415) 555-0117", email: "odalys@fennimore.example" };
    const patient = { first_name: "Odalys", last_name: "Fennimore", dob: "1966-11-02", ...contact };
    const { order, prescription_id, patient_id, tracking_no } = await shippedOrder(patient, "OF-77");
    const { order_number } = order;
    const asked: [text: string, by: string][] = [
      [order_number, "order_number"],
      [order_number.toLowerCase(), "order_number"],
      [tracking_no, "tracking_no"],
      [tracking_no.replace(/(.{4})/g, "$1 "), "tracking_no"],
      [String(prescription_id), "prescription_id"],
      [`cart ${patient_id}`, "reference"],
      ["Odalys Fennimore 1966-11-02", "patient"],
      ["fennimore, odalys 11/2/1966", "patient"],
      ["FENNIMORE", "surname"],
      [" fénnimore ", "surname"],
      ["Odalys Fennimore", "surname"],
      ["fennimore, od", "surname"],
      ["Fennimore 11/02/1966", "surname"],
      ["1966-11-02", "birth_date"],
      ["11/2/1966", "birth_date"],
      ["11/02/1966", "birth_date"],
      [patient_id, "patient"],
      ["415-555-0117", "phone"],
      ["+1 415 555 0117", "phone"],
      ["Odalys@Fennimore.example", "email"],
      ["of-77", "lot"],
      [order_number.slice(0, 8).toLowerCase(), "order_number"],
    ];
    const named = ["patient", "phone", "email", "surname", "birth_date"];
    for (const [text, by] of asked) {
      const { hits } = await search(text);
      expect([text, hits.length, hits[0]?.by, hits[0]?.order_number]).toEqual([text, 1, by, order_number]);
      expect(hits[0]).toMatchObject({ patient_initials: "OF", account_id: account_id(), order_status: "Shipped" });
      expect(JSON.stringify(hits)).not.toMatch(/Odalys|Fennimore|1966-11|555-0117/);
    }
    const by_number = asked.filter(([, by]) => !named.includes(by));
    expect(await entries("patient_found")).toEqual(
      Array.from({ length: asked.length - by_number.length }, () => ({
        account_id: account_id(),
        subject: null,
        person_id: technician.person_id,
      })),
    );
    expect((await entries("order_found")).map(({ subject }) => subject)).toEqual(by_number.map(() => order_number));
    for (const text of [
      "0000000000",
      "415-555-0118",
      "odalys@fennimore",
      "Fennimor",
      "Otis Fennimore",
      "Odalys Fennimore 1966-11-03",
      "Fennimore 1966-11-03",
      "1966-02-11",
      "%",
      "'; drop table x",
    ]) {
      expect([text, (await search(text)).hits]).toEqual([text, []]);
    }
  });

  test("finds the newest orders of a product by SKU, NDC or the beginning of its name", async () => {
    const { order } = await shippedOrder();
    const [sku, ndc] = [order.items[0]!.sku!, order.items[0]!.ndc!];
    for (const text of [
      sku,
      sku.toLowerCase(),
      ndc,
      ndc.replace(/^(.{5})(.{4})/, "$1-$2-"),
      "ATORVASTATIN 20",
      "atorv",
    ]) {
      const hits = (await search(text)).hits.filter(({ by }) => by === "product");
      expect([text, hits[0]?.order_number]).toEqual([text, order.order_number]);
      for (const { drug_names } of hits) expect(drug_names.join()).toMatch(/atorvastatin/i);
    }
    expect((await entries("order_found")).at(-1)).toMatchObject({ person_id: technician.person_id });
    expect((await search("torvastatin")).hits).toEqual([]);
  });

  test("finds a patient of an earlier version by last name once the job has computed the index", async () => {
    const { body } = await newOrder(app, {
      patient: { first_name: "Ignatius", last_name: "van der Berg", dob: "1939-01-31" },
    });
    const { order_number } = await placed(app, body);
    const found = async (text: string) => (await search(text)).hits.map((hit) => [hit.by, hit.order_number]);
    const by_name = [["surname", order_number]];
    expect(await found("Vanderberg")).toEqual(by_name);
    await app.owner.raw("update patient set surname_index = null, dob_index = null");
    expect([await found("Van der Berg"), await found("1/31/1939")]).toEqual([[], []]);
    await addMissingNames(app.deps);
    expect([await found("Van der Berg"), await found("1/31/1939")]).toEqual([by_name, [["birth_date", order_number]]]);
    const { rows } = await app.owner.raw("select from patient where surname_index is null or dob_index is null");
    expect(rows).toEqual([]);
  });

  test("the job reports a record that does not decrypt once an hour, and does the others", async () => {
    const broken = await placed(app, (await newOrder(app)).body);
    const intact = await placed(app, (await newOrder(app)).body);
    const { rows } = await app.owner.raw(
      `update patient p
      set surname_index = null,
        record_sealed = case when o.order_number = $1 then overlay(record_sealed placing '\\x0000' from 40) else record_sealed end
      from orders o
      where o.account_id = p.account_id and o.patient_key = p.patient_key and o.order_number = any($2)
      returning p.patient_key::text, o.order_number`,
      [broken.order_number, [broken.order_number, intact.order_number]],
    );
    expect(rows).toHaveLength(2);
    const { patient_key } = rows.find(({ order_number }) => order_number === broken.order_number)!;
    const without = async () => (await app.owner.raw("select from patient where surname_index is null")).rows.length;
    // The app's own job may report this patient too, so the test counts the reports of its own run.
    const reported: string[] = [];
    const log = pino({}, { write: (line: string) => void reported.push(line) });
    const damaged = damagedPatients();
    const at = (ms: number) => ({ ...app.deps, log, now: () => new Date(app.deps.now().getTime() + ms) });
    for (const [after_ms, reports] of [
      [0, 1],
      [0, 1],
      [3_600_000, 2],
    ] as const) {
      await addMissingNames(at(after_ms), damaged);
      expect([await without(), reported.length]).toEqual([1, reports]);
    }
    expect(reported.map((line) => String(JSON.parse(line).patient_key))).toEqual([patient_key, patient_key]);
    await app.owner.raw("update patient set surname_index = '\\x00' where surname_index is null");
  });

  test("finds a prescription without an order, and a pending review entry", async () => {
    const { prescription_id } = await newOrder(app);
    const { hits } = await search(String(prescription_id));
    const found = { by: "prescription_id", order_number: null, drug_names: [expect.any(String)] };
    expect(hits).toMatchObject([{ ...found, review_id: null }]);
    const { rows } = await app.deps.db.raw(
      `insert into review (account_id, kind, prescription_id, created_at)
       values ($1, 'prescription_acceptance', $2, now()) returning review_id::int`,
      [account_id(), prescription_id],
    );
    expect((await search(String(prescription_id))).hits).toMatchObject([{ ...found, ...rows[0] }]);
  });

  test("finds a patient whose prescriptions have no orders, each prescription once", async () => {
    const patient = { first_name: "Perpetua", last_name: "Quill", dob: "1971-03-09" };
    const first = await newOrder(app, { patient });
    const found = { by: "patient", order_number: null, patient_initials: "PQ" };
    expect((await search("Perpetua Quill 1971-03-09")).hits).toMatchObject([
      { ...found, prescription_id: first.prescription_id },
    ]);
    expect((await search(first.patient_id)).hits).toMatchObject([{ ...found, prescription_id: first.prescription_id }]);
    const second = await newOrder(app, {
      patient: { ...patient, ids: [{ kind: "medical_record", value: first.patient_id }] },
    });
    const order = await placed(app, first.body);
    expect((await search("Quill, Perpetua 03/09/1971")).hits).toMatchObject([
      { by: "patient", order_number: order.order_number },
      { ...found, prescription_id: second.prescription_id },
    ]);
  });
});

describe("a recall", () => {
  test("lists the patients with packages of a lot, masked, shows contact details only on request, and logs both", async () => {
    const patient = { first_name: "Perpetua", last_name: "Galloway", email: "perpetua@galloway.example" };
    const { order } = await shippedOrder(patient, "RC-9");
    const masked = await technician.get("/dashboard/recall?lot=rc-9");
    expect(masked.body.packages).toMatchObject([
      { order_number: order.order_number, lot: "RC-9", patient_initials: "PG", name: "Atorvastatin 20 mg tablet" },
    ]);
    expect(masked.text).not.toMatch(/Perpetua|Galloway/i);
    expect((await technician.get("/dashboard/recall?lot=RC-9&sku=lipora-20")).body.packages).toEqual([]);
    expect((await technician.get("/dashboard/recall?lot=RC-9&environment=production")).body.packages).toEqual([]);
    expect((await technician.get("/dashboard/recall")).status).toBe(400);
    expect((await technician.send("POST", "/dashboard/recall/reveal", { lot: "RC-9" })).status).toBe(404);
    const shown = await pharmacist.send("POST", "/dashboard/recall/reveal", { lot: "RC-9" });
    expect(shown.body.packages[0].contact).toMatchObject({ last_name: "Galloway", email: patient.email });
    expect(await entries("lot_revealed")).toMatchObject([{ subject: "lot RC-9", person_id: pharmacist.person_id }]);
    expect((await entries("lot_searched")).length).toBeGreaterThan(0);
  });
});

describe("a recalled lot", () => {
  const lots = (order: Order, lot: string) =>
    order.items.map(({ item_id }) => ({ item_id, lot, lot_expires_on: "2099-01-01" }));

  test("in quarantine is not filled from, and holds what was filled; orders are held and partners told once", async () => {
    const lot = "RQ-7";
    const by = { lot: "rq-7", environment: "sandbox", on: true };
    const order = await placed(app, (await newOrder(app)).body);
    await work(pharmacist, order, { event: "approve_review" });
    expect((await technician.send("POST", "/dashboard/recall/quarantine", by)).status).toBe(404);
    expect((await pharmacist.send("POST", "/dashboard/recall/quarantine", by)).body).toEqual({ quarantined: true });
    await pharmacist.send("POST", "/dashboard/recall/quarantine", by);
    const refused = await work(technician, order, { event: "complete_fill", items: lots(order, lot) });
    expect([refused.status, refused.body.error.key]).toEqual([409, "lot_recalled"]);
    await pharmacist.send("POST", "/dashboard/recall/quarantine", { ...by, on: false });
    expect((await work(technician, order, { event: "complete_fill", items: lots(order, lot) })).status).toBe(200);
    await pharmacist.send("POST", "/dashboard/recall/quarantine", by);
    const scans = order.items.map(({ item_id, ndc }) => ({ item_id, code: ndc }));
    const checked = await work(pharmacist, order, { event: "verify_product", scans });
    expect(checked.body.error.key).toBe("lot_recalled");
    expect(await entries("lot_quarantined")).toHaveLength(3);
    expect(await entries("lot_released")).toHaveLength(1);

    const found = async () => (await technician.get(`/dashboard/recall?lot=${lot}`)).body;
    expect((await found()).quarantines).toMatchObject([
      { environment: "sandbox", sku: "", quarantined_by: "A pharmacist" },
    ]);
    const { account_id } = app.demo.partners[0]!;
    const received = { sku: "finasteride-1", units: 50, lot, expires_on: "2099-01-01" };
    await technician.send("POST", `/dashboard/stock/${account_id}/receive`, received);
    expect((await found()).shelves).toEqual([
      {
        ...{ account_id, partner: "Willow Telehealth", environment: "sandbox", expires_on: "2099-01-01" },
        ...{ sku: "finasteride-1", name: expect.stringContaining("Finasteride"), quarantined: true },
        ...{ on_hand_units: 50, filled_units: 0, returned_units: 0 },
      },
    ]);
    expect((await technician.get("/dashboard/recall?lot=rq-7&environment=production")).body.shelves).toEqual([]);
    await pharmacist.send("POST", "/dashboard/recall/quarantine", { ...by, on: false });
    expect((await found()).shelves).toMatchObject([{ quarantined: false }]);
    await pharmacist.send("POST", "/dashboard/recall/quarantine", by);
    const orders = [{ account_id, order_number: order.order_number }];
    const hold = { event: "raise_exception", exception_id: 76, reason: `Lot ${lot} is recalled.`, orders };
    expect((await technician.send("POST", "/dashboard/bulk", hold)).body).toMatchObject({ done: 1, refused: 0 });
    const notice = { lot, text: `Lot ${lot} is recalled.`, orders };
    expect((await technician.send("POST", "/dashboard/recall/notices", notice)).status).toBe(404);
    expect((await pharmacist.send("POST", "/dashboard/recall/notices", notice)).body).toMatchObject({ done: 1 });
    const again = await pharmacist.send("POST", "/dashboard/recall/notices", notice);
    expect(again.body.results).toMatchObject([{ done: false, key: "told" }]);
    expect((await found()).packages).toMatchObject([{ order_status: "On Hold", told_at: expect.any(String) }]);
    const thread = await app.call(`/v1/orders/${order.order_number}/messages`);
    expect(((await thread.json()) as { messages: { text: string }[] }).messages.map(({ text }) => text)).toEqual([
      notice.text,
    ]);
  });
});

describe("the stream", () => {
  type Heard = { event: string; data: string };
  /** Reads events until one matches; the connection ends with the test. */
  async function listen(by: WebPerson, path = "/dashboard/stream") {
    const stop = new AbortController();
    const answer = await fetch(`${app.addresses.base_url}/web${path}`, { headers: by.headers, signal: stop.signal });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const next = async (): Promise<Heard | null> => {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end >= 0) {
          const block = text.slice(0, end);
          text = text.slice(end + 2);
          const [, event = "", data = ""] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
          if (event !== "") return { event, data };
          continue;
        }
        const { value, done } = await reader.read();
        if (done) return null;
        text += value;
      }
    };
    return { answer, next, stop: () => stop.abort() };
  }
  const count = ({ data }: Heard) => (JSON.parse(data) as DashboardHome).queues[0]!.count;

  test("sends the queues immediately, and again when an order arrives", async () => {
    const stream = await listen(technician, "/dashboard/stream?environment=sandbox");
    expect(stream.answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const first = await stream.next();
    expect(first!.event).toBe("home");
    await placed(app, (await newOrder(app)).body);
    const second = await stream.next();
    expect(count(second!)).toBe(count(first!) + 1);
    stream.stop();
  });

  test("ends with the session, and does not keep it alive", async () => {
    const watcher = await webPerson(app, "technician");
    const stream = await listen(watcher);
    expect((await stream.next())!.event).toBe("home");
    app.advance(IDLE_MS + 1_000);
    const last = async (): Promise<string> => {
      const heard = await stream.next();
      return heard?.event === "home" ? last() : (heard?.event ?? "");
    };
    expect([await last(), await stream.next()]).toEqual(["signed_out", null]);
    expect((await listen(watcher)).answer.status).toBe(401);
  });

  test("is 404 for a partner's user", async () => {
    const { rows } = await app.deps.db.raw("select partner_id from account where account_id = $1", [account_id()]);
    const viewer = await webPerson(app, "partner_viewer", String(rows[0]!["partner_id"]));
    expect((await listen(viewer)).answer.status).toBe(404);
  });

  // This test is last, because no stream works after it.
  test("ends when the service stops, and does not delay it", async () => {
    const watcher = await webPerson(app, "lead");
    const stream = await listen(watcher);
    expect((await stream.next())!.event).toBe("home");
    app.deps.home_watch.close();
    expect(await stream.next()).toBeNull();
    expect(await (await listen(watcher)).next()).toBeNull();
  });
});
