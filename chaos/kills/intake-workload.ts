import { setTimeout as delay } from "node:timers/promises";
import type { Demo } from "../../server/src/seed/demo-file.ts";
import { newMessage } from "../../server/test/support/intake.ts";
import { insist, type Reply } from "../ask.ts";
import { deliver, intakeToken } from "../client.ts";
import { holdProcessing } from "../hold-processing.ts";
import { connectToPostgres } from "../postmaster.ts";
import { until } from "../until.ts";
import {
  countDoubledPatients,
  countKept,
  type IntakeLedger,
  isAccepted,
  isPending,
  type KeptMessage,
  readKept,
} from "./intake-ledger.ts";
import { type OpenWorkload, runWriters, type Site } from "./workload.ts";

const MESSAGE_EVERY_MS = 10;
const ANSWER_DEADLINE_MS = 60_000;
/** One message in four is about a new patient. The others share a few patients, across all senders. */
const NEW_PATIENT_EVERY = 4;
const SHARED_PATIENTS = 3;
/** One kill in two targets the time between storing a message and processing it. */
const AIM_EVERY = 2;
/** A stored message stays untouched for 10 s. Then a job that runs every 5 s processes it. */
const LEFT_ALONE_MS = 10_000;
const TAKEN_UP_WITHIN_MS = 60_000;

/**
 * Senders of e-prescriptions. Faithful senders repeat a message until they get an answer. Hasty senders send each
 * message twice at once, as if the first were lost. Forgetful senders send it once and never retry.
 */
const SENDERS = ["faithful", "faithful", "hasty", "forgetful"] as const;
/** A hasty sender may wait for its second answer after the first has already created the prescription. */
const SURE_TO_WAIT = SENDERS.filter((kind) => kind !== "hasty").length;

export const openIntakeWorkload: OpenWorkload = ({ data_dir, random, unexpected }) => {
  const ledger: IntakeLedger = { acknowledged: [], forgotten: new Set() };
  const seen = { waiting_at_kills: 0, aimed_kills: 0, taken_up_by_job: 0, slowest_take_up_ms: 0 };
  let number = 0;
  let looked = 0;
  let left: string[] = [];
  let token = "";

  const next = () => {
    number += 1;
    const message_id = `K-${number}`;
    const person = number % NEW_PATIENT_EVERY === 0 ? number : -(number % SHARED_PATIENTS) - 1;
    const patient = { ids: [], last_name: `Person ${person}`, phone: String(9_165_550_000 + person), email: null };
    return { message_id, body: newMessage({ envelope: { message_id }, patient }) };
  };
  const judge = (message: { message_id: string; body: Uint8Array }, { status, text }: Reply) => {
    if (status === 200 && (isAccepted(text) || isPending(text))) ledger.acknowledged.push({ ...message, answer: text });
    else unexpected.push(`a message got ${status}${codesIn(text)}`);
  };
  const sending = (site: Site, kind: (typeof SENDERS)[number]) => async (isStopping: () => boolean) => {
    for (; !isStopping(); await delay(MESSAGE_EVERY_MS)) {
      const message = next();
      const send = async () => {
        const demo = site();
        return demo && deliver(demo, token, "script", message.body);
      };
      if (kind === "forgetful") {
        ledger.forgotten.add(message.message_id);
        const reply = await send();
        if (reply !== undefined && reply.status !== 503) judge(message, reply);
      } else {
        const answers = Array.from({ length: kind === "hasty" ? 2 : 1 }, () => insist(send, ANSWER_DEADLINE_MS));
        for (const reply of await Promise.all(answers)) judge(message, reply);
      }
    }
  };

  /** Sending a message again must give the same answer and change nothing, which the final check verifies. */
  const sendAgain = async (demo: Demo, acknowledged: IntakeLedger["acknowledged"]) => {
    for (const { body, answer } of acknowledged) {
      const reply = await insist(() => deliver(demo, token, "script", body), ANSWER_DEADLINE_MS);
      const same = reply.text === answer || (isPending(answer) && isAccepted(reply.text));
      if (reply.status !== 200 || !same)
        unexpected.push(`a repeated message got a different answer${codesIn(reply.text)}`);
    }
  };

  return {
    async enter(demo) {
      token = await intakeToken(demo);
    },
    write: (site) => runWriters(SENDERS.map((kind) => sending(site, kind))),
    async aim(kill) {
      if (kill % AIM_EVERY !== 0) return async () => {};
      const stage = random() < 0.5 ? "deciding" : "saving";
      const hold = await holdProcessing(data_dir, stage, { writers: SURE_TO_WAIT, left });
      seen.aimed_kills += 1;
      seen.waiting_at_kills += hold.waiting;
      return hold.release;
    },
    async check(demo) {
      const fresh = ledger.acknowledged.slice(looked);
      looked = ledger.acknowledged.length;
      const kept = await onDatabase(data_dir, (client) => readKept(client, data_dir));
      left = kept.filter(({ state }) => state === "received").map(({ message_id }) => message_id);
      const { lost } = countKept(fresh, kept);
      await sendAgain(demo, fresh);
      return { checked: fresh.length, lost };
    },
    async checkAll(demo) {
      const allDone = async () =>
        (await onDatabase(data_dir, (client) => readKept(client, data_dir))).every(
          ({ state }) => state === "processed",
        ) || undefined;
      await until("every stored message is processed", allDone, {
        deadline_ms: TAKEN_UP_WITHIN_MS,
        pause_ms: 200,
      }).catch((error: Error) => unexpected.push(error.message));
      await sendAgain(demo, ledger.acknowledged);
      const kept = await onDatabase(data_dir, (client) => readKept(client, data_dir));
      const taken_up = kept.filter((one) => ledger.forgotten.has(one.message_id) && tookOver(one, LEFT_ALONE_MS));
      seen.taken_up_by_job = taken_up.length;
      seen.slowest_take_up_ms = Math.max(0, ...taken_up.map(({ took_ms }) => took_ms!));
      const { lost, doubled } = countKept(
        // By now, messages acknowledged with Status 000 are processed too.
        ledger.acknowledged.map((one) => ({ ...one, answer: "" })),
        kept,
      );
      return { lost, doubled: doubled + (await onDatabase(data_dir, countDoubledPatients)) };
    },
    seen: () => ({ ...seen }),
  };
};

const tookOver = ({ took_ms }: KeptMessage, limit_ms: number) => took_ms !== null && took_ms >= limit_ms;

const codesIn = (text: string) => [...text.matchAll(/<(?:Code|DescriptionCode)>(\w+)</g)].map(([, code]) => ` ${code}`);

async function onDatabase<Result>(
  data_dir: string,
  ask: (client: Awaited<ReturnType<typeof connectToPostgres>>) => Promise<Result>,
): Promise<Result> {
  const client = await connectToPostgres(data_dir);
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}
