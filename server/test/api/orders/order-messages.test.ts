import {
  holdableStates,
  MESSAGE_MOST_CHARACTERS,
  Message,
  MOST_MESSAGES_PER_AUTHOR,
  type Order,
  questionExceptionIds,
  webhookBodies,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { historyOf, readOrder } from "../../support/actions.ts";
import { codesOf } from "../../support/conventions.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { type AskOptions, ask, goodDocument } from "../../support/patient.ts";
import { misfits } from "../../support/samples/misfits.ts";
import { simulate } from "../../support/simulate.ts";
import { storedEvents } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { type WebPerson, webPerson } from "../../support/web.ts";
import { workplace } from "../../support/workplace.ts";

let app: TestApp;
let shop: ReturnType<typeof workplace>;
let technician: WebPerson;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  shop = workplace(app);
  technician = await webPerson(app, "technician");
});
afterAll(() => app.stop());

const UNKNOWN = "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42";
const fresh = async () => placed(app, (await newOrder(app)).body);
const pathOf = ({ order_number }: Pick<Order, "order_number">) => `/orders/${order_number}/messages`;

async function say(order: Order, body: unknown, options: AskOptions = {}) {
  const { status, text, headers } = await ask(app, pathOf(order), body, options);
  return { status, text, headers, body: JSON.parse(text) };
}
async function said(order: Order, body: unknown): Promise<Message> {
  const { status, text, body: message } = await say(order, body);
  if (status !== 201) throw new Error(`${status}: ${text}`);
  expect(misfits(Message, message)).toEqual([]);
  return message as Message;
}
const thread = async (order: Order, query = ""): Promise<{ messages: Message[]; next_cursor: string | null }> =>
  JSON.parse((await ask(app, `${pathOf(order)}${query}`)).text);
const deskOf = ({ order_number }: Order) => `/dashboard/orders/${shop.account_id}/${order_number}/messages`;
const asked = async (order: Order, exception_id: number, text = "Is this what you mean?"): Promise<Message> => {
  const { status, body, text: told } = await technician.send("POST", deskOf(order), { text, exception_id });
  if (status !== 201) throw new Error(`${status}: ${told}`);
  return body as Message;
};
const stateOf = async (order: Order) => (await shop.load(order)).standing.state;

describe("a message", () => {
  test("goes both ways, is sealed, changes no state, and tells the partner by an event", async () => {
    const order = await fresh();
    const before = await readOrder(app, order.order_number);
    const first = await said(order, { text: "  Ship it before Friday,\nplease. 🙂 " });
    expect(first).toEqual({
      message_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      author: "partner",
      text: "Ship it before Friday,\nplease. 🙂",
      created_at: expect.stringMatching(/Z$/),
      in_reply_to: null,
      exception_id: null,
    });
    const { status, body: second } = await technician.send("POST", deskOf(order), {
      text: "We ship it today.",
      in_reply_to: first.message_id,
    });
    expect([status, second.author, second.in_reply_to]).toEqual([201, "pharmacy", first.message_id]);
    expect(await thread(order)).toEqual({ messages: [second, first], next_cursor: null });
    expect((await technician.get(deskOf(order))).body).toEqual({
      messages: [
        { ...first, written_by: null },
        { ...second, written_by: "A technician" },
      ],
    });
    expect(await readOrder(app, order.order_number)).toEqual(before);

    const events = await storedEvents(app.deps, "where order_number = $1 and event_type = 'MESSAGE_RECEIVED'", [
      order.order_number,
    ]);
    expect(events.map(({ body }) => JSON.parse(body))).toEqual([
      {
        event_id: events[0]!.event_id,
        event_type: "MESSAGE_RECEIVED",
        patient_id: order.patient_id,
        order_number: order.order_number,
        message_id: second.message_id,
        timestamp: Math.floor(Date.parse(second.created_at) / 1000),
      },
    ]);
    expect(misfits(webhookBodies.MESSAGE_RECEIVED, JSON.parse(events[0]!.body))).toEqual([]);
    const rows = await shop.rows("select text_sealed from order_message where order_number = $1", order.order_number);
    for (const { text_sealed } of rows) expect(String(text_sealed)).not.toMatch(/Friday|today/);
  });

  test("of the partner notifies the staff member who asked, who held the order or who claimed it, and no one else", async () => {
    const [asker, holder, claimer] = [
      await webPerson(app, "technician"),
      await webPerson(app, "technician"),
      await webPerson(app, "technician"),
    ];
    const told = async ({ get }: WebPerson) =>
      (await get("/dashboard/notifications")).body.notifications.map(
        ({ kind, order_number, by }: Record<string, string>) => [kind, order_number, by],
      );
    const order = await fresh();
    await asker.send("POST", deskOf(order), { text: "Which strength?" });
    await said(order, { text: "The higher one." });
    await said(order, { text: "And soon." });
    const answer = ["answer", order.order_number, null];
    expect([await told(asker), await told(holder)]).toEqual([[answer], []]);

    const work = deskOf(order).replace(/messages$/, "work");
    await holder.send("POST", work, { event: "raise_exception", exception_id: 68, reason: "A doubt." });
    await claimer.send("POST", work, { event: "claim" });
    await shop.act(order, { event: "confirm_not_duplicate" });
    expect([await told(asker), await told(holder), await told(claimer)]).toEqual([[answer], [answer], [answer]]);
  });

  test("is possible in every state, also after the delivery", async () => {
    const delivered = await shop.reach(await fresh(), "Delivered");
    await said(delivered, { text: "One tablet was broken." });
    const canceled = await shop.reach(await fresh(), "Canceled");
    expect((await technician.send("POST", deskOf(canceled), { text: "Canceled, as you wished." })).status).toBe(201);
  });

  test("has pages, newest first, with a link and stable cursors", async () => {
    const order = await fresh();
    const all: Message[] = [];
    for (const text of ["one", "two", "three"]) all.unshift(await said(order, { text }));
    const page = await thread(order, "?limit=2");
    expect(page).toEqual({ messages: all.slice(0, 2), next_cursor: expect.any(String) });
    const { headers } = await ask(app, `${pathOf(order)}?limit=2`);
    expect(headers.get("link")).toBe(`<${pathOf(order)}?limit=2&cursor=${page.next_cursor}>; rel="next"`);
    await said(order, { text: "four" });
    expect(await thread(order, `?limit=2&cursor=${page.next_cursor}`)).toEqual({
      messages: all.slice(2),
      next_cursor: null,
    });
    for (const query of ["limit=0", "limit=201", "cursor=x"]) {
      const { status, text } = await ask(app, `${pathOf(order)}?${query}`);
      expect([query, status, codesOf(text)]).toEqual([query, 400, [[40003, query.split("=")[0]]]]);
    }
    const other = await fresh();
    expect((await ask(app, `${pathOf(other)}?cursor=${page.next_cursor}`)).status).toBe(400);
  });

  test("is written once per Idempotency-Key", async () => {
    const order = await fresh();
    const headers = { "idempotency-key": "message-1" };
    const first = await say(order, { text: "Once." }, { headers });
    const again = await say(order, { text: "Once." }, { headers });
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([201, first.text, "true"]);
    expect(codesOf((await say(order, { text: "Twice." }, { headers })).text)).toEqual([[42299, "Idempotency-Key"]]);
    expect((await thread(order)).messages).toHaveLength(1);
  });

  test("is refused beyond the limit of each author, and many at once never exceed it", async () => {
    const order = await fresh();
    await said(order, { text: "First." });
    await shop.rows(
      `insert into order_message (account_id, order_number, message_number, message_id, author, created_at, text_sealed)
      select m.account_id, m.order_number, m.message_number + n, gen_random_uuid(), a.author, m.created_at, m.text_sealed
      from order_message m, generate_series(1, $2) n, lateral (
        select case when n <= $3 then 'partner' else 'pharmacy' end as author) a
      where m.order_number = $1`,
      order.order_number,
      2 * MOST_MESSAGES_PER_AUTHOR - 6,
      MOST_MESSAGES_PER_AUTHOR - 6,
    );
    const sent = await Promise.all(Array.from({ length: 10 }, (_, index) => say(order, { text: `No. ${index}` })));
    expect(sent.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = sent.filter(({ status }) => status !== 201);
    for (const { status, text } of refused) expect([status, codesOf(text)]).toEqual([422, [[42283, "text"]]]);
    const full = await technician.send("POST", deskOf(order), { text: "One more." });
    expect([full.status, full.body.error.key]).toEqual([409, "too_many_messages"]);
    const played = await simulate(app, "message", { order_number: order.order_number, text: "One more." });
    expect([played.status, codesOf(played.text)]).toEqual([422, [[42283, "simulation.text"]]]);
  });
});

describe("a question", () => {
  for (const state of holdableStates) {
    test(`holds an order in ${state}, and the answer takes it back there`, async () => {
      const order = await shop.reach(await fresh(), state);
      const question = await asked(order, 72, "Did you mean 90 tablets?");
      expect(question).toMatchObject({ author: "pharmacy", exception_id: 72, text: "Did you mean 90 tablets?" });
      const held = await readOrder(app, order.order_number);
      expect([held.order_status, held.exceptions.map(({ id, raised_at }) => [id, raised_at])]).toEqual([
        "On Hold",
        [[72, question.created_at]],
      ]);
      await said(order, { text: "A moment, please." });
      expect(await stateOf(order)).toBe("On Hold");
      const answer = await said(order, { text: "Yes.", in_reply_to: question.message_id });
      expect(await stateOf(order)).toBe(state);
      const history = (await historyOf(app, order.order_number)).slice(-2);
      const [status] = state.split("/");
      expect(history).toEqual([
        `operator raise_exception 72: ${status} > On Hold`,
        `partner resolve 72: On Hold > ${status}`,
      ]);
      expect((await thread(order)).messages[0]).toEqual(answer);
      const told = (await shop.events(order)).map(({ event_type }) => event_type);
      expect(told.slice(-6).toSorted()).toEqual(
        [
          "MESSAGE_RECEIVED",
          "ORDER_EXCEPTION",
          "ORDER_UPDATED",
          "ORDER_UPDATED",
          "RX_UPDATED",
          "RX_UPDATED",
        ].toSorted(),
      );
      // Answered once: the same answer again is only a message.
      await said(order, { text: "Yes, yes.", in_reply_to: question.message_id });
      expect(await stateOf(order)).toBe(state);
    });
  }

  test("can hold with each exception that the partner's word ends, and with no other", async () => {
    const order = await fresh();
    for (const id of questionExceptionIds) {
      const question = await asked(order, id);
      await said(order, { text: "Yes.", in_reply_to: question.message_id });
      expect(await stateOf(order)).toBe("Processing/clinical_review");
    }
    for (const exception_id of [64, 69, 71, 74, 75, 80, 99, "72"]) {
      const { status, text } = await technician.send("POST", deskOf(order), { text: "Well?", exception_id });
      expect([exception_id, status, codesOf(text)]).toEqual([exception_id, 422, [[42200, "exception_id"]]]);
    }
  });

  test("ends only its own hold: not a check's, not a later one of the same kind, not another question's", async () => {
    const order = await fresh();
    const [first, second] = [await asked(order, 72), await asked(order, 79)];
    await said(order, { text: "Yes.", in_reply_to: second.message_id });
    expect((await readOrder(app, order.order_number)).exceptions.map(({ id }) => id)).toEqual([72]);
    await shop.act(order, { event: "verify" });
    expect(await stateOf(order)).toBe("Processing/clinical_review");
    await simulate(app, "order", { order_number: order.order_number, exception_id: 72 });
    await said(order, { text: "Yes.", in_reply_to: first.message_id });
    expect(await stateOf(order)).toBe("On Hold");
  });

  test("runs the checks again: what they find holds the order instead", async () => {
    const { body, patient_id } = await newOrder(app);
    const order = await placed(app, body);
    const question = await asked(order, 72);
    await shop.rows(
      "update prescription set active = false where prescription_id = $1",
      order.items[0]!.prescription_id,
    );
    await said(order, { text: "Yes.", in_reply_to: question.message_id });
    const now = await readOrder(app, order.order_number);
    expect([patient_id, now.order_status, now.exceptions.map(({ id }) => id)]).toEqual([
      order.patient_id,
      "On Hold",
      [73],
    ]);
  });

  test("is refused where the answer could not end the hold, or the order cannot be held", async () => {
    const refusal = async (order: Order, exception_id: number) => {
      const before = await shop.everything(order);
      const { status, body } = await technician.send("POST", deskOf(order), { text: "Well?", exception_id });
      expect(await shop.everything(order)).toEqual(before);
      return [status, body.error?.key];
    };
    const open = await fresh();
    await asked(open, 72);
    expect(await refusal(open, 72)).toEqual([409, "open_already"]);
    expect(await refusal(await shop.reach(await fresh(), "Shipped"), 72)).toEqual([409, "not_now"]);
    const { body } = await newOrder(app, { prescription: prescribed("zolpidem-5", 30) });
    const controlled = await placed(app, { ...body, patient: { ...body.patient, identity_documents: [goodDocument] } });
    expect(await refusal(controlled, 72)).toEqual([409, "answer_ends_nothing"]);
    const played = await simulate(app, "message", {
      order_number: controlled.order_number,
      text: "Well?",
      exception_id: 72,
    });
    expect([played.status, codesOf(played.text)]).toEqual([422, [[42463, "simulation.exception_id"]]]);
  });

  test("is answered once if two answers arrive at the same time", async () => {
    const order = await fresh();
    const { message_id } = await asked(order, 72);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => say(order, { text: `Yes ${index}.`, in_reply_to: message_id })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const resolved = (await historyOf(app, order.order_number)).filter((line) => line.includes("resolve 72"));
    expect(resolved).toHaveLength(1);
    expect((await thread(order)).messages).toHaveLength(6);
  });
});

describe("in the sandbox", () => {
  test("the pharmacy writes, and asks", async () => {
    const order = await fresh();
    const { order_number } = order;
    const wrote = await simulate(app, "message", { order_number, text: "We ship it today." });
    expect([wrote.status, wrote.body]).toEqual([202, { message_id: expect.any(String) }]);
    expect(await stateOf(order)).toBe("Processing/clinical_review");
    const question = await simulate(app, "message", { order_number, text: "90 tablets?", exception_id: 72 });
    const { message_id } = question.body as { message_id: string };
    expect(await stateOf(order)).toBe("On Hold");
    await said(order, { text: "Yes.", in_reply_to: message_id });
    expect(await stateOf(order)).toBe("Processing/clinical_review");
    expect((await technician.get(deskOf(order))).body.messages.map((one: { text: string }) => one.text)).toEqual([
      "We ship it today.",
      "90 tablets?",
      "Yes.",
    ]);
    const production = await simulate(app, "message", { order_number, text: "Hello." }, { partner: 2 });
    expect(production.status).toBe(404);
  });
});

describe("bad input", () => {
  const texts: Record<string, unknown> = {
    missing: undefined,
    null: null,
    "a number": 12,
    "a list": ["Hello."],
    "an object": { text: "Hello." },
    "true or false": true,
    empty: "",
    blank: " \n\t ",
    "too long": "a".repeat(MESSAGE_MOST_CHARACTERS + 1),
    "50 KB": "a".repeat(50_000),
    "too many emoji": "🙂".repeat(MESSAGE_MOST_CHARACTERS + 1),
    "a control character": "a\u0000b",
    "an escape": "\u001b[31mred",
    "half a character": "a\ud800b",
  };
  const replies: Record<string, unknown> = {
    "a number": 1,
    "a list": [UNKNOWN],
    "an object": {},
    empty: "",
    "no id": "the first one",
    unknown: UNKNOWN,
  };

  test("each misfit of a field gets its code and writes nothing", async () => {
    const order = await fresh();
    const elsewhere = await said(await fresh(), { text: "About another order." });
    const refused = async (body: object, codes: unknown) => {
      const { status, text } = await say(order, body);
      expect([body, status, codesOf(text)]).toEqual([body, 422, codes]);
    };
    for (const text of Object.values(texts)) await refused({ text }, [[42281, "text"]]);
    for (const in_reply_to of [...Object.values(replies), elsewhere.message_id]) {
      await refused({ text: "Hello.", in_reply_to }, [[42282, "in_reply_to"]]);
    }
    for (const field of ["txt", "author", "message_id", "exception_id"]) {
      await refused({ text: "Hello.", [field]: "pharmacy" }, [[42200, field]]);
    }
    await refused({ in_reply_to: 1, txt: "Hello." }, [
      [42200, "txt"],
      [42281, "text"],
      [42282, "in_reply_to"],
    ]);
    expect((await thread(order)).messages).toEqual([]);
    await said(order, { text: "🙂".repeat(MESSAGE_MOST_CHARACTERS), in_reply_to: null });
  });

  test("the dashboard refuses the same, and the sandbox too", async () => {
    const order = await fresh();
    for (const text of Object.values(texts)) {
      const desk = await technician.send("POST", deskOf(order), { text });
      expect([text, desk.status, codesOf(desk.text)]).toEqual([text, 422, [[42281, "text"]]]);
      const played = await simulate(app, "message", { order_number: order.order_number, text });
      expect([text, codesOf(played.text)]).toEqual([text, [[42281, "simulation.text"]]]);
    }
    for (const in_reply_to of Object.values(replies)) {
      const desk = await technician.send("POST", deskOf(order), { text: "Hello.", in_reply_to });
      expect([in_reply_to, desk.status, codesOf(desk.text)]).toEqual([in_reply_to, 422, [[42282, "in_reply_to"]]]);
    }
    expect((await thread(order)).messages).toEqual([]);
  });

  test("another account's order and an unknown one are the same 404, whatever the body", async () => {
    const order = await fresh();
    for (const body of [{ text: "Hello." }, { text: "" }]) {
      const other = await say(order, body, { partner: 1 });
      const unknown = await say({ ...order, order_number: "ZZZZZZZZZZ" }, body);
      expect([other.status, unknown.status]).toEqual([404, 404]);
    }
    expect((await ask(app, pathOf(order), undefined, { partner: 1 })).status).toBe(404);
    expect((await ask(app, "/orders/ZZZZZZZZZZ/messages")).status).toBe(404);
    const desk = `/dashboard/orders/${app.demo.partners[1]!.account_id}/${order.order_number}/messages`;
    expect([
      (await technician.get(desk)).status,
      (await technician.send("POST", desk, { text: "Hello." })).status,
    ]).toEqual([404, 404]);
  });
});

test("people of the partner read and write the thread in the portal", async () => {
  const { account_id } = app.demo.partners[0]!;
  const [{ partner_id }] = (await shop.rows("select partner_id from account where account_id = $1", account_id)) as [
    { partner_id: string },
  ];
  const developer = await webPerson(app, "partner_developer", partner_id);
  const order = await fresh();
  const { message_id } = await asked(order, 72);
  const path = `/portal/sandbox/orders/${order.order_number}/messages`;
  const { status, body } = await developer.send("POST", path, { text: "Yes.", in_reply_to: message_id });
  expect([status, body]).toMatchObject([201, { author: "partner", in_reply_to: message_id }]);
  expect(await stateOf(order)).toBe("Processing/clinical_review");
  expect((await developer.get(path)).body.messages.map((one: { text: string }) => one.text)).toEqual([
    "Is this what you mean?",
    "Yes.",
  ]);
  expect(codesOf((await developer.send("POST", path, { text: "" })).text)).toEqual([[42281, "text"]]);
  expect((await developer.get("/portal/sandbox/orders/ZZZZZZZZZZ/messages")).status).toBe(404);
  const entries = await shop.rows(
    "select action from audit_entry where subject = $1 and person_id = $2 order by audit_id",
    order.order_number,
    developer.person_id,
  );
  expect(entries.map(({ action }) => action)).toEqual(["message_sent", "messages_viewed"]);
});

test("the dashboard lists orders of any status whose partner wrote last, and those that a question holds", async () => {
  const listed = async (filter: string) => {
    const query = `account_id=${shop.account_id}&limit=200&messages=${filter}`;
    const { orders } = (await technician.get(`/dashboard/orders?${query}`)).body as { orders: Order[] };
    return new Set(orders.map(({ order_number }) => order_number));
  };
  const [plain, shipped, questioned, old] = [await fresh(), await fresh(), await fresh(), await fresh()];
  const numberOf = ({ order_number }: Order) => order_number;
  await said(plain, { text: "Please ship it by Friday." });
  await simulate(app, "order", { order_number: shipped.order_number, to: "Delivered" });
  await said(shipped, { text: "The parcel was open." });
  const { message_id } = await asked(questioned, 72);
  await said(old, { text: "Long ago." });
  await shop.rows(
    "update order_message set created_at = created_at - interval '31 days' where order_number = $1",
    numberOf(old),
  );

  const from_partner = await listed("from_partner");
  expect([plain, shipped, questioned, old].map((order) => from_partner.has(numberOf(order)))).toEqual([
    ...[true, true, false, false],
  ]);
  const unanswered = await listed("unanswered");
  expect([plain, questioned].map((order) => unanswered.has(numberOf(order)))).toEqual([false, true]);

  // An answer moves the order from one list to the other, and the pharmacy's reply ends the second.
  await said(questioned, { text: "Yes.", in_reply_to: message_id });
  expect((await listed("unanswered")).has(numberOf(questioned))).toBe(false);
  expect((await listed("from_partner")).has(numberOf(questioned))).toBe(true);
  await technician.send("POST", deskOf(questioned), { text: "Thank you." });
  expect((await listed("from_partner")).has(numberOf(questioned))).toBe(false);

  const held = await technician.get(`/dashboard/orders?messages=from_partner&order_status=On%20Hold`);
  expect(held.status).toBe(200);
  const on_hold = (held.body.orders as Order[]).map(numberOf);
  for (const order of [plain, shipped, questioned, old]) expect(on_hold).not.toContain(numberOf(order));
  expect(codesOf((await technician.get("/dashboard/orders?messages=all")).text)).toEqual([[40003, "messages"]]);
});
