import { enterStock } from "../server/src/db/catalogue/stock.ts";
import type { Database } from "../server/src/db/db.ts";
import type { Demo } from "../server/src/seed/demo-file.ts";
import { newMessage } from "../server/test/support/intake.ts";
import { goodAddress } from "../server/test/support/patient.ts";
import { ask, insist, type Reply } from "./ask.ts";
import { deliver, placeOrder } from "./client.ts";
import { until } from "./until.ts";
import type { Journey } from "./webhook-ledger.ts";
import { type Receiver, WEBHOOK_SECRET } from "./webhook-receivers.ts";

/**
 * Events per journey that every endpoint gets: a prescription, a held order for it, and the address that releases it.
 */
export const EVENTS_PER_JOURNEY = 4;
/** Longer than any recovery, so that a client never gives up. */
const ANSWER_DEADLINE_MS = 300_000;

export type Tokens = { partner: string; intake: string };
/** Where the service runs. Undefined while a process is down. */
export type Sites = () => (Demo | undefined)[];

/** Lets the account call as often as it likes, and fills its shelves: a thousand journeys would empty the demo's. */
export async function liftLimits(db: Database, account_id: string): Promise<void> {
  await db.raw("update account set rate_per_second = 100000, rate_burst = 100000");
  await db.transaction(async (tx) => {
    const { rows } = await tx.raw("select sku from stock where account_id = $1 and on_hand_units > 0", [account_id]);
    const entries = rows.map(({ sku }) => ({
      sku: String(sku),
      kind: "counted" as const,
      units: 1_000_000_000,
      order_number: null,
      note: "campaign",
    }));
    await enterStock(tx, account_id, entries, new Date());
  });
}

export async function register(demo: Demo, token: string, receiver: Receiver): Promise<void> {
  const body = JSON.stringify({ url: receiver.url, secret: WEBHOOK_SECRET });
  const reply = await ask(`${demo.base_url}/webhook_endpoints`, { method: "POST", headers: headersOf(token), body });
  if (reply?.status !== 201) throw new Error(`the service rejected an endpoint with ${reply?.status}`);
  receiver.signing_secret = (JSON.parse(reply.text) as { signing_secret: string }).signing_secret;
}

/**
 * A prescription arrives for a patient without an address. The order for it is held for that, then released. Calls
 * `onWritten` after each acknowledged write. `answered` sends a request until it has its final answer.
 */
export async function journey(
  sites: Sites,
  tokens: Tokens,
  number: string,
  random: () => number,
  onWritten: () => void = () => {},
  answered: typeof insist = insist,
): Promise<Journey> {
  const patient_id = `JOURNEY-${number}`;
  const atAny = async (send: (site: Demo) => Promise<Reply | undefined>) => {
    const running = sites().filter((site) => site !== undefined);
    const site = running[Math.floor(random() * running.length)];
    return site && send(site);
  };
  const call = async (step: string, status: number, send: (site: Demo) => Promise<Reply | undefined>) => {
    const reply = await answered(() => atAny(send), ANSWER_DEADLINE_MS);
    if (reply.status !== status) throw new Error(`${step} got ${reply.status}: ${reply.text.slice(0, 200)}`);
    onWritten();
    return reply.text;
  };
  const message = newMessage({
    envelope: { message_id: `M-${number}` },
    prescription: { allergies: [] },
    patient: {
      ids: [{ kind: "medical_record", value: patient_id }],
      last_name: `Okonkwo ${number}`,
      phone: String(9_160_000_000 + Number(number)),
      email: `journey.${number}@okonkwo.example`,
      address: null,
    },
  });
  await call("intake", 200, (site) => deliver(site, tokens.intake, "script", message));
  const headers = headersOf(tokens.partner);
  // A message that the service stored while its database was away is processed by a job.
  const found = async () => {
    const reply = await atAny((site) => ask(`${site.base_url}/patients/${patient_id}/rx`, { headers }));
    if (reply?.status !== 200) return undefined;
    return (JSON.parse(reply.text) as { medication_request: { id: number }[] }).medication_request[0];
  };
  const prescription = await until("the prescription is processed", found, { deadline_ms: ANSWER_DEADLINE_MS });
  const order = JSON.stringify({
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id: prescription.id, quantity: 1, package_size: 90 }],
  });
  const { order_number } = JSON.parse(
    await call("order", 201, (site) => placeOrder(site, tokens.partner, order, `order-${number}`)),
  ) as { order_number: string };
  await call("address", 200, (site) =>
    ask(`${site.base_url}/orders/${order_number}/shipping_address`, {
      method: "PUT",
      headers,
      body: JSON.stringify(goodAddress),
    }),
  );
  return { patient_id, order_number };
}

/** Every event in the account's feed. Receivers may get no other. */
export async function readFeed(sites: Sites, token: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor: string | null = null;
  do {
    const reply = await insist(async () => {
      const site = sites().find((one) => one !== undefined);
      const after = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      return site && ask(`${site.base_url}/webhook_events?limit=200${after}`, { headers: headersOf(token) });
    }, ANSWER_DEADLINE_MS);
    const page = JSON.parse(reply.text) as { webhook_events: { event_id: string }[]; next_cursor: string | null };
    for (const { event_id } of page.webhook_events) ids.add(event_id);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

export const headersOf = (token: string) => ({
  accept: "application/json",
  "content-type": "application/json",
  authorization: `Bearer ${token}`,
});
