import { RETRY_DELAYS_S, type RenewalRequest, standardSignature } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listPrescriberMessages } from "../../../src/db/prescribers/prescriber-messages.ts";
import type { Content, IncomingPrescription } from "../../../src/domain/intake/incoming-message.ts";
import { fillNotice, fillReports } from "../../../src/domain/prescribers/fill-notice.ts";
import { notRenewable } from "../../../src/domain/prescribers/prescriber-request.ts";
import { readPharmacyMessage } from "../../../src/formats/script/read-pharmacy.ts";
import { openPatientId } from "../../../src/usecases/patients/patient-rows.ts";
import { askPrescriber } from "../../../src/usecases/prescribers/ask-prescriber.ts";
import { setPrescriberRoute } from "../../../src/usecases/prescribers/manage-prescriber-routes.ts";
import { transact } from "../../../src/usecases/write.ts";
import { codesOf } from "../../support/conventions.ts";
import { newMessage, openIntake } from "../../support/intake.ts";
import { placed } from "../../support/orders.ts";
import { ask, stranger } from "../../support/patient.ts";
import { openReceiver, type Received, type Receiver } from "../../support/receiver.ts";
import { bytes, prescription } from "../../support/samples/script-samples.ts";
import { arrived, simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";

/** The pharmacy asks prescribers, delivers its messages to their network, and matches the answers. */

let app: TestApp;
let intake: Awaited<ReturnType<typeof openIntake>>;
let network: Receiver;
/** The network's next answers to requests for renewal of a prescription, oldest first; it accepts the others. */
const answers: { prescription_id: number; status: number; body: string }[] = [];
let signing_secret: string;
let number = 0;

const SENDER = "6120042";
const PHARMACIST = "mina.torres@larkspur-pharmacy.example";
const TECHNICIAN = "idris.vale@larkspur-pharmacy.example";

beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  intake = await openIntake(app);
  network = await openReceiver((sent, response) => {
    const isFor = ({ prescription_id }: { prescription_id: number }) => sent.body.includes(`>${prescription_id}<`);
    const at = sent.body.includes("RxRenewalRequest") ? answers.findIndex(isFor) : -1;
    const { status, body } = at < 0 ? { status: 200, body: "" } : answers.splice(at, 1)[0]!;
    response.writeHead(status).end(body);
  });
  const route = {
    account_id: app.demo.partners[0]!.account_id,
    sender: SENDER,
    url: network.url,
    version: "2023011" as const,
    sends_fills: true,
    sends_cancels: true,
  };
  ({ signing_secret } = await transact(app.deps, (tx) =>
    setPrescriberRoute({ vault: app.deps.vault, loopback_ports: "any" }, tx, route, app.deps.now()),
  ));
});
afterAll(async () => {
  await app.stop();
  await network.close();
});

const script = (body: string) => `<Message><Body>${body}</Body></Message>`;

/** A prescription from the network. */
async function prescribed(
  more: Partial<IncomingPrescription> = {},
): Promise<{ prescription_id: number; message_id: string; patient_id: string }> {
  const message_id = `PL-${++number}`;
  const patient = { ids: [], first_name: "Zephyrine", ...stranger() };
  const dates = { written_date: "2026-11-10", effective_date: null, expiration_date: null };
  const envelope = { from: SENDER, message_id, prescriber_order_number: `PO-${number}` };
  await intake.send(newMessage({ envelope, patient, prescription: { ...dates, ...more } }));
  const { rows } = await app.deps.db.raw(
    "select r.account_id, r.patient_key, p.id_sealed, r.prescription_id from prescription r join patient p using (account_id, patient_key) where sender_message_id = $1",
    [message_id],
  );
  const row = rows[0] as { account_id: string; patient_key: number; id_sealed: Buffer; prescription_id: number };
  const prescription_id = Number(row.prescription_id);
  return { prescription_id, message_id, patient_id: openPatientId(app.deps, row.account_id, row) };
}

/** The same, with an order that shipped. */
async function filled(more: Partial<IncomingPrescription> = {}) {
  const made = await prescribed(more);
  return { ...made, order_number: await shipped(made.patient_id, made.prescription_id, 90) };
}

async function ordered(patient_id: string, prescription_id: number, package_size: number): Promise<string> {
  const { order_number } = await placed(app, {
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id, quantity: 1, package_size }],
  });
  return order_number;
}

async function shipped(patient_id: string, prescription_id: number, package_size: number): Promise<string> {
  const order_number = await ordered(patient_id, prescription_id, package_size);
  await simulate(app, "order", { order_number, to: "Shipped" });
  return order_number;
}

const path = (prescription_id: number | string) => `/prescriptions/${prescription_id}/renewal_requests`;
const request = async (prescription_id: number, body: unknown = {}) => {
  const { status, text } = await ask(app, path(prescription_id), body);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as RenewalRequest;
};
const read = async ({ prescription_id, renewal_request_id }: RenewalRequest) =>
  JSON.parse((await ask(app, `${path(prescription_id)}/${renewal_request_id}`)).text) as RenewalRequest;
const becomes = async (asked: RenewalRequest, status: RenewalRequest["status"]): Promise<RenewalRequest> => {
  let found = await read(asked);
  await until(async () => {
    found = await read(asked);
    return found.status === status;
  }, `the request is ${status}`);
  return found;
};
const sentFor = async ({ renewal_request_id }: RenewalRequest): Promise<Received[]> => {
  const id = renewal_request_id.replaceAll("-", "");
  const mine = () => network.received.filter(({ headers }) => headers["webhook-id"] === id);
  await until(async () => mine().length > 0, "the network received the request");
  return mine();
};
const answer = (asked: RenewalRequest, content: Partial<Content> & { kind: "renewal" | "change" }, from = SENDER) =>
  intake.send(
    newMessage({
      envelope: {
        from,
        message_id: `PL-${++number}`,
        relates_to_message_id: asked.renewal_request_id.replaceAll("-", ""),
        prescriber_order_number: null,
      },
      content: { response: "approved", reason_codes: [], note: null, prescription: null, ...content } as Content,
    }),
  );

describe("a request for renewal", () => {
  test("reaches the sender's network, signed and readable, and the response closes it", async () => {
    const { prescription_id, message_id } = await filled();
    const asked = await request(prescription_id, { refills: 2, note: "Nine tablets are left." });
    expect(asked).toMatchObject({ prescription_id, status: "queued", response: null, new_prescription_id: null });
    const [received] = await sentFor(asked);
    const { headers, body } = received!;
    const message = readPharmacyMessage(bytes(body));
    expect(message?.envelope).toMatchObject({
      version: "2023011",
      from: "9900017",
      to: SENDER,
      message_id: asked.renewal_request_id.replaceAll("-", ""),
      relates_to_message_id: message_id,
      rx_reference_number: String(prescription_id),
      test_message: true,
    });
    expect(message?.content).toMatchObject({
      kind: "renewal",
      patient: { first_name: "Zephyrine", address: { street1: prescription.patient.address!.street1 } },
      prescriber: { first_name: "Fenwick", last_name: "Marlowe", npi: "1234567893" },
      dispensed: { requested_refills: 2, note: "Nine tablets are left.", quantity: { value: 90 } },
      prescribed: { refills: 3, sig_text: prescription.sig_text },
    });
    const [id, timestamp] = [headers["webhook-id"], headers["webhook-timestamp"]] as [string, string];
    expect(headers["content-type"]).toBe("application/xml");
    expect(headers["webhook-signature"]).toBe(standardSignature(signing_secret, id, Number(timestamp), body));
    expect((await becomes(asked, "sent")).sent_at).not.toBeNull();
    const { rows: entries } = await app.deps.db.raw(
      "select distinct action, field_groups from audit_entry where subject = any($1) order by action",
      [[String(prescription_id), asked.renewal_request_id]],
    );
    // A job writes the entries of reads.
    expect(entries.map(({ action }) => action)).toContain("renewal_requested");

    const { text } = await answer(asked, { kind: "renewal", note: "As before." });
    expect(text).toContain("<Code>010</Code>");
    const closed = await read(asked);
    expect(closed).toMatchObject({ status: "approved", response: "approved", note: "As before." });
    const { rows } = await app.deps.db.raw(
      "select replaces_prescription_id::int as replaces, active from prescription where prescription_id = $1",
      [closed.new_prescription_id],
    );
    expect(rows).toEqual([{ replaces: prescription_id, active: true }]);
  });

  test("a denial closes it without a prescription, and only the first final answer counts", async () => {
    const { prescription_id } = await filled();
    const asked = await request(prescription_id);
    await becomes(asked, "sent");
    await answer(asked, { kind: "renewal", response: "pending" });
    expect((await read(asked)).status).toBe("sent");
    await answer(asked, { kind: "change", response: "denied" });
    await answer(asked, { kind: "renewal", response: "denied" }, "another sender");
    expect((await read(asked)).status).toBe("sent");
    await answer(asked, { kind: "renewal", response: "denied", note: "See me first." });
    await answer(asked, { kind: "renewal", response: "denied", note: "Again." });
    expect(await read(asked)).toMatchObject({ status: "denied", note: "See me first.", new_prescription_id: null });
    // A closed request makes room for another.
    expect((await request(prescription_id)).status).toBe("queued");
  });

  test("the answer finds the account that asked, also if another one shares the NCPDP id", async () => {
    const { prescription_id } = await filled();
    const asked = await request(prescription_id);
    const set = (ncpdp_id: string | null) =>
      app.deps.db.raw("update account set ncpdp_id = $2 where account_id = $1", [
        app.demo.partners[1]!.account_id,
        ncpdp_id,
      ]);
    await set("9900017");
    await answer(asked, { kind: "renewal", response: "denied" });
    await set(app.demo.partners[1]!.ncpdp_id);
    expect((await read(asked)).status).toBe("denied");
  });

  test("a second one is refused while the first is open, also at the same moment", async () => {
    const { prescription_id } = await filled();
    const both = await Promise.all([1, 2].map(() => ask(app, path(prescription_id), {})));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect(codesOf(both.find(({ status }) => status === 422)!.text)).toEqual([[42285, "prescription_id"]]);
  });

  test("the same Idempotency-Key gets the same request", async () => {
    const { prescription_id } = await filled();
    const headers = { "idempotency-key": `renewal-${prescription_id}` };
    const [first, again] = [
      await ask(app, path(prescription_id), { refills: 1 }, { headers }),
      await ask(app, path(prescription_id), { refills: 1 }, { headers }),
    ];
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(codesOf((await ask(app, path(prescription_id), { refills: 2 }, { headers })).text)[0]![0]).toBe(42299);
  });

  test("is retried with the same bytes while the network fails, and fails if the network refuses it", async () => {
    const { prescription_id } = await filled();
    answers.push({ prescription_id, status: 503, body: "" });
    answers.push({ prescription_id, status: 200, body: script("<Error><Code>602</Code></Error>") });
    const asked = await request(prescription_id);
    await sentFor(asked);
    for (const delay_s of RETRY_DELAYS_S.slice(1, 3)) {
      const before = (await sentFor(asked)).length;
      await until(async () => {
        app.advance((delay_s + 1) * 1100);
        return (await sentFor(asked)).length > before;
      }, "the request is sent again");
    }
    await becomes(asked, "sent");
    expect(new Set((await sentFor(asked)).map(({ body }) => body)).size).toBe(1);

    const other = await filled();
    answers.push({
      prescription_id: other.prescription_id,
      status: 200,
      body: script("<Error><Code>900</Code><DescriptionCode>002</DescriptionCode></Error>"),
    });
    const refused = await becomes(await request(other.prescription_id), "failed");
    expect(refused).toMatchObject({ sent_at: null, response: null });
    expect(await sentFor(refused)).toHaveLength(1);
    // A late answer still counts: the prescriber may have read it elsewhere.
    await answer(refused, { kind: "renewal", response: "denied" });
    expect((await read(refused)).status).toBe("denied");
  });

  test("needs a filled prescription of this account that has not ended", async () => {
    const unfilled = await arrived(app, { drug_name: "atorvastatin" });
    const { text } = await ask(app, path(unfilled.prescription_id), {});
    expect(codesOf(text)).toEqual([[42284, "prescription_id"]]);
    expect(text).toContain(notRenewable.never_filled);
    const silent = await filled({ prohibits_renewal: true });
    const prohibited = await ask(app, path(silent.prescription_id), {});
    expect(codesOf(prohibited.text)).toEqual([[42284, "prescription_id"]]);
    expect(prohibited.text).toContain(notRenewable.prohibited);
    const { prescription_id } = await filled();
    for (const id of [prescription_id + 1, "0", "01", "1e3", "x", "999999999999999999999"]) {
      expect((await ask(app, path(id), {})).status, String(id)).toBe(404);
    }
    expect((await ask(app, path(prescription_id), {}, { partner: 1 })).status).toBe(404);
    const asked = await request(prescription_id);
    const other = await filled();
    for (const [rx, id] of [
      [other.prescription_id, asked.renewal_request_id],
      [prescription_id, "x"],
      [prescription_id, "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42"],
    ]) {
      expect((await ask(app, `${path(rx!)}/${id}`)).status).toBe(404);
    }
    const foreign = await ask(app, `${path(prescription_id)}/${asked.renewal_request_id}`, undefined, { partner: 1 });
    expect(foreign.status).toBe(404);
  });

  test.each([
    ["an unknown field", { refill: 1 }, [[42200, "refill"]]],
    ["a text for the refills", { refills: "3" }, [[42200, "refills"]]],
    ["negative refills", { refills: -1 }, [[42200, "refills"]]],
    ["too many refills", { refills: 100 }, [[42200, "refills"]]],
    ["a fraction", { refills: 1.5 }, [[42200, "refills"]]],
    ["an empty note", { note: "" }, [[42200, "note"]]],
    ["a long note", { note: "x".repeat(211) }, [[42200, "note"]]],
    ["a very long note", { note: "x".repeat(50_000) }, [[42200, "note"]]],
    ["control characters", { note: "a\u0007b" }, [[42200, "note"]]],
    ["a note that is no text", { note: ["x"] }, [[42200, "note"]]],
    ["several at once", { refills: {}, note: 7 }, [[42200, "refills", "note"]]],
  ])("refuses %s", async (_, body, codes) => {
    const unfilled = await arrived(app, { drug_name: "atorvastatin" });
    const { status, text } = await ask(app, path(unfilled.prescription_id), body);
    expect(status).toBe(422);
    expect(codesOf(text).filter(([code]) => code === 42200)).toEqual(codes);
  });

  test("null means that a field is absent, and the body can be absent", async () => {
    const { prescription_id } = await filled();
    const asked = await request(prescription_id, { refills: null, note: null });
    const [received] = await sentFor(asked);
    expect(readPharmacyMessage(bytes(received!.body))?.content).toMatchObject({
      dispensed: { requested_refills: 3, note: null },
    });
    const { status } = await app.call(path((await filled()).prescription_id), { method: "POST" });
    expect(status).toBe(201);
  });
});

describe("in the sandbox, the prescriber of a simulated prescription answers", () => {
  const simulated = async (prescriber_name: string) => {
    const written = { drug_name: "atorvastatin", written_qty: 30, days_supply: 30, refills_left: 2, prescriber_name };
    const { patient_id, prescription_id } = await arrived(app, written);
    await shipped(patient_id, prescription_id, 30);
    return request(prescription_id);
  };
  test.each([
    ["Ada Lindqvist", "approved", { response: "approved" }],
    ["Dana Deny", "denied", { response: "denied", new_prescription_id: null }],
    ["Charlie Change", "approved", { response: "approved_with_changes" }],
    ["Rae Replace", "approved", { response: "replace" }],
  ] as const)("%s: %s", async (name, status, expected) => {
    const closed = await becomes(await simulated(name), status);
    expect(closed).toMatchObject(expected);
    if (status === "approved") expect(closed.new_prescription_id).not.toBeNull();
  });

  test("Sam Silent never does, and the request expires on the account's clock", async () => {
    const asked = await simulated("Sam Silent");
    await becomes(asked, "sent");
    await simulate(app, "clock", { advance_seconds: 14 * 86_400 - 3_600 });
    expect((await read(asked)).status).toBe("sent");
    await simulate(app, "clock", { advance_seconds: 7_200 });
    expect((await read(asked)).status).toBe("expired");
  });
});

test("a cancellation's answer also goes to the network as a message", async () => {
  const { message_id } = await filled();
  const cancel_id = `PL-${++number}`;
  const target = {
    patient: prescription.patient,
    prescriber_npi: null,
    drug_description: prescription.drug.description,
    drug_codes: [],
    written_date: null,
  };
  const { text } = await intake.send(
    newMessage({
      envelope: {
        from: SENDER,
        message_id: cancel_id,
        relates_to_message_id: message_id,
        prescriber_order_number: null,
      },
      content: { kind: "cancel", discontinue: false, target },
    }),
  );
  expect(text).toContain("CancelRxResponse");
  const sent = () => network.received.find(({ body }) => body === text);
  await until(async () => sent() !== undefined, "the network received the same CancelRxResponse");
  expect(readPharmacyMessage(bytes(sent()!.body))).toMatchObject({
    envelope: { relates_to_message_id: cancel_id, to: SENDER },
    content: { kind: "cancel", approved: true },
  });
});

describe("a sender that asks for notices of fills", () => {
  const read = new Map<string, ReturnType<typeof readPharmacyMessage>>();
  const notices = (order: { prescription_id: number }) =>
    network.received
      .map(({ body }) => {
        if (!read.has(body)) read.set(body, readPharmacyMessage(bytes(body)));
        return read.get(body);
      })
      .filter(
        (one) => one?.content.kind === "fill" && one.envelope.rx_reference_number === String(order.prescription_id),
      );
  test("gets one when an order ships, and one when an order is canceled", async () => {
    const made = await filled();
    await until(async () => notices(made).length === 1, "the network received the notice of the shipped order");
    expect(notices(made)[0]).toMatchObject({
      envelope: { relates_to_message_id: made.message_id },
      content: { status: "dispensed", note: null, dispensed: { quantity: { value: 90, unit: "tablet" } } },
    });
    const other = await prescribed();
    const order_number = await ordered(other.patient_id, other.prescription_id, 90);
    await ask(app, `/orders/${order_number}/partner_order_action_requests`, { event: "cancel" });
    await until(async () => notices(other).length === 1, "the network received the notice of the canceled order");
    expect(notices(other)[0]?.content).toMatchObject({
      status: "not_dispensed",
      note: fillReports.not_dispensed.note,
      dispensed: null,
    });
  });

  test("gets only those that the prescriber asked for in the prescription", async () => {
    const silent = await filled({ fill_indicator: "Cancel All Fill Statuses" });
    const other = await filled({ fill_indicator: "Dispensed" });
    const canceled = await prescribed({ fill_indicator: "Not Dispensed And Transferred" });
    const order_number = await ordered(canceled.patient_id, canceled.prescription_id, 90);
    await ask(app, `/orders/${order_number}/partner_order_action_requests`, { event: "cancel" });
    // A later round of the job reports the later orders, so an earlier one had its chance.
    for (const made of [other, canceled]) await until(async () => notices(made).length === 1, "the notice arrived");
    const { rows } = await app.deps.db.raw(
      "select prescription_id::int as id, fill from prescriber_message where kind = 'fill' and prescription_id = any($1)",
      [[silent, other, canceled].map(({ prescription_id }) => prescription_id)],
    );
    expect(rows.map(({ id, fill }) => [id, fill])).toEqual(
      expect.arrayContaining([
        [other.prescription_id, "dispensed"],
        [canceled.prescription_id, "not_dispensed"],
      ]),
    );
    expect(rows).toHaveLength(2);
  });

  test("a returned parcel is reported as not dispensed, with a note", () => {
    expect(fillNotice("returned", 90)).toEqual({
      kind: "fill",
      status: "not_dispensed",
      note: fillReports.returned.note,
      units: null,
    });
    expect(fillNotice("partially_dispensed", 30)).toMatchObject({ status: "partially_dispensed", units: 30 });
  });
});

describe("a pharmacist's question about a prescription", () => {
  const account_id = () => app.demo.partners[0]!.account_id;
  const question = (prescription_id: number, email: string, asked: object = {}) =>
    askPrescriber(
      app.deps,
      {
        account_id: account_id(),
        prescription_id,
        email,
        question: { code: "S", reason: "Once or twice a day?", service_reason: null, ...asked },
      },
      app.deps.now(),
    );
  const stateOf = async (message_id: string) =>
    (await listPrescriberMessages(app.deps.db, account_id(), 500)).find((one) => one.message_id === message_id);

  test("reaches the network, and the response that changes the prescription closes it", async () => {
    const { prescription_id } = await filled();
    const { message_id } = await question(prescription_id, PHARMACIST);
    const asked = { renewal_request_id: message_id } as RenewalRequest;
    const [received] = await sentFor(asked);
    expect(readPharmacyMessage(bytes(received!.body))?.content).toMatchObject({
      kind: "change",
      code: "S",
      reason: "Once or twice a day?",
      prescribed: { sig_text: prescription.sig_text },
    });
    await answer(asked, {
      kind: "change",
      response: "approved_with_changes",
      prescription: {
        ...prescription,
        patient: null,
        sig_text: "Take 1 tablet twice a day.",
        written_date: "2026-11-16",
      },
    } as Partial<Content> & { kind: "change" });
    const closed = await stateOf(message_id);
    expect(closed).toMatchObject({ state: "approved", response: "approved_with_changes", prescription_id });
    const { rows } = await app.deps.db.raw("select active from prescription where prescription_id = any($1)", [
      [prescription_id, closed!.new_prescription_id],
    ]);
    expect(rows.map(({ active }) => active).sort()).toEqual([false, true]);
  });

  test.each([
    ["by a technician", TECHNICIAN, {}, "Only a pharmacist"],
    ["a clarification without a reason", PHARMACIST, { reason: null }, "needs a reason"],
    ["a long reason", PHARMACIST, { reason: "x".repeat(261) }, "260 characters"],
    ["an evaluation without its code", PHARMACIST, { code: "D" }, "service reason"],
    ["a code that is none", PHARMACIST, { code: "D", service_reason: "d1" }, "two capital letters"],
  ])("is refused: %s", async (_, email, asked, why) => {
    const { prescription_id } = await arrived(app, { drug_name: "atorvastatin" });
    await expect(question(prescription_id, email, asked)).rejects.toThrow(why);
  });
});

describe("on the pages", () => {
  const actionsOf = async ({ person_id }: WebPerson, subject: string | number) =>
    (
      await app.deps.db.raw(
        `select action, field_groups, cardinality(patient_keys) as patients
        from audit_entry
        where person_id = $1 and subject = $2
        order by audit_id`,
        [person_id, String(subject)],
      )
    ).rows;

  test("a partner's developer asks for a renewal in the portal, and a viewer reads the answer", async () => {
    const { account_id } = app.demo.partners[0]!;
    const { rows } = await app.deps.db.raw("select partner_id from account where account_id = $1", [account_id]);
    const of = (role: string) => webPerson(app, role, String(rows[0]!["partner_id"]));
    const [developer, viewer] = [await of("partner_developer"), await of("partner_viewer")];
    const { prescription_id } = await filled();
    const page = `/portal/sandbox${path(prescription_id)}`;
    expect((await viewer.get(page)).body).toEqual({ renewal_requests: [], problems: [] });
    expect((await developer.send("POST", page, { refills: 100 })).text).toContain("42200");
    const told = await developer.send("POST", page, { refills: 2, note: null });
    expect([told.status, told.body.status]).toEqual([201, "queued"]);
    const again = await developer.send("POST", page);
    expect([again.status, codesOf(again.text)]).toEqual([422, [[42285, "prescription_id"]]]);
    await becomes(told.body, "sent");
    const asked = (await viewer.get(page)).body;
    expect(asked.problems).toEqual([{ code: 42285, message: expect.stringContaining("Wait for") }]);
    await answer(told.body, { kind: "renewal", response: "denied", note: "See me first." });
    const { renewal_requests, problems } = (await viewer.get(page)).body;
    expect(renewal_requests).toEqual([await read(told.body)]);
    expect([renewal_requests[0].note, problems]).toEqual(["See me first.", []]);
    expect((await viewer.get(`/portal/sandbox${path(99_999_999)}`)).status).toBe(404);
    const entry = { field_groups: ["treatment"], patients: 1 };
    expect(await actionsOf(developer, prescription_id)).toEqual([{ ...entry, action: "renewal_requested" }]);
    expect((await actionsOf(viewer, prescription_id))[0]).toMatchObject({ action: "prescriptions_read", patients: 1 });
  });

  test("a pharmacist asks from the order, and everybody sees the requests, the answers and the schedule", async () => {
    const { account_id } = app.demo.partners[0]!;
    const { prescription_id, patient_id, order_number } = await filled();
    const consent = { given_at: "2026-01-05T09:00:00Z", method: "verbal" };
    const schedule = { patient_id, prescription_id, shipping: { method_id: 1 }, every_days: 30, consent };
    expect((await ask(app, "/refill_schedules", schedule)).status).toBe(201);
    const [pharmacist, technician] = [await webPerson(app, "pharmacist"), await webPerson(app, "technician")];
    const page = `/dashboard/orders/${account_id}/${order_number}/prescriptions`;
    const shown = async (who = technician) => (await who.get(page)).body.prescriptions[0];
    expect(await shown()).toMatchObject({
      prescription_id,
      schedule: { status: "active", interval_days: 30, made_order: false, paused_because: null },
      renewal_problems: [],
      question_problems: [],
    });
    const send = (what: string, body: object, who = pharmacist, id: number | string = prescription_id) =>
      who.send("POST", `${page}/${id}/${what}`, body);
    for (const what of ["renewal_requests", "change_requests"]) {
      expect((await send(what, {}, technician)).status).toBe(404);
      expect((await send(what, { code: "P" }, pharmacist, 99_999_999)).status).toBe(404);
      expect((await send(what, { nothing: 1 })).status).toBe(422);
    }
    const unlicensed = await webPerson(app, "pharmacist", null, {});
    expect((await send("change_requests", { code: "P" }, unlicensed)).body.error.key).toBe("license_needed");
    expect((await send("change_requests", { code: "S" })).body.error.message).toContain("needs a reason");
    expect((await send("change_requests", { code: "S", reason: "x".repeat(261) })).status).toBe(422);
    expect((await send("change_requests", { code: "D", service_reason: "dd" })).status).toBe(422);

    const renewal = await send("renewal_requests", { refills: 3, note: "Nine tablets are left." });
    expect(renewal.status).toBe(201);
    expect(renewal.body.prescriptions[0].renewal_problems).toHaveLength(1);
    const question = await send("change_requests", { code: "D", service_reason: "TD", reason: "Two statins." });
    const [asked] = question.body.prescriptions[0].messages;
    expect(asked).toMatchObject({ kind: "change", code: "D", text: "TD: Two statins.", asked_by: "A pharmacist" });
    const message = { renewal_request_id: asked.message_id } as RenewalRequest;
    await sentFor(message);
    await until(async () => (await shown()).messages[0].status === "sent", "the question was sent");
    await answer(message, { kind: "change", response: "denied", note: "Both are right." });
    const { messages } = await shown();
    expect(messages.filter(({ kind }: { kind: string }) => kind !== "fill")).toMatchObject([
      { kind: "change", status: "denied", response: "denied", note: "Both are right." },
      { kind: "renewal", text: "Nine tablets are left.", asked_by: "A pharmacist", answered_at: null },
    ]);
    const entries = (await actionsOf(pharmacist, prescription_id)).map(({ action }) => action);
    expect(entries).toEqual(["renewal_requested", "prescriber_asked"]);
    const entry = { action: "prescriptions_read", field_groups: ["treatment", "order"], patients: 1 };
    expect((await actionsOf(technician, order_number))[0]).toEqual(entry);
    expect((await technician.get(`/dashboard/orders/${account_id}/0000000000/prescriptions`)).status).toBe(404);
  });
});
