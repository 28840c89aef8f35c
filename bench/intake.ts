import { readFhir } from "../server/src/formats/fhir/read.ts";
import { readScript } from "../server/src/formats/script/read.ts";
import { createCredential, type ShownSecret } from "../server/src/usecases/accounts/manage-credentials.ts";
import { fhirMessage, NUMBER_MARK, scriptMessage } from "./intake-message.ts";
import { intakePgbench } from "./intake-pgbench.ts";
import { intakeReport } from "./intake-report.ts";
import type { Load } from "./load.ts";
import { issueToken } from "./prepare-account.ts";
import { readTime_us } from "./read-time.ts";
import type { Report } from "./report.ts";
import { type Effort, onStage, type Stage, WARM_UP_MS } from "./stage.ts";

const SANDBOX = 0;
/** Each credential may send 500 messages a second, so this many exceed what the machine can do. */
const CREDENTIALS = 20;
/** Patients that most messages are about. The warm-up adds them. */
const KNOWN_PATIENTS = 1_200;
/** One message in four is about a new patient. */
const NEW_EVERY = 4;

/**
 * E-prescriptions a second, from the socket to the committed prescription and its event, compared with pgbench
 * running the same statements; and the readers alone.
 */
export function benchIntake({ rounds: count, round_ms }: Effort): Promise<Report> {
  const script = scriptMessage("0000000", "0000000", "9900017");
  const fhir = fhirMessage();
  const read = {
    script_us: readTime_us(readScript, script),
    fhir_us: readTime_us((body) => readFhir(body, null), fhir),
    script_bytes: Buffer.byteLength(script),
    fhir_bytes: Buffer.byteLength(fhir),
  };
  return onStage(async (stage) => {
    const { account_id, ncpdp_id } = stage.demo.partners[SANDBOX]!;
    const operator_id = await operatorOf(stage);
    const load = await intakeLoad(stage, operator_id, ncpdp_id!);
    // Numbers continue across measurements, because message ids must be unique.
    let first = 1;
    const measure = async (duration_ms: number, at_least = 0) => {
      const numbered = { mark: NUMBER_MARK, first };
      const measured = await stage.measure("intake", { ...load, duration_ms, at_least, numbered });
      first += measured.count;
      return measured;
    };
    const statements = await intakePgbench(stage, { operator_id, account_id, ncpdp_id: ncpdp_id! });
    const pgbench = (duration_ms: number) => stage.pgbench({ ...statements, duration_ms });

    await measure(WARM_UP_MS, load.requests.length);
    pgbench(WARM_UP_MS);
    // Matches a database that has run for some minutes: plans made for empty tables get slower as the tables fill.
    await stage.db.raw("vacuum analyze");
    const rounds = [];
    for (let round = 1; round <= count; round++) {
      rounds.push({ intake: await measure(round_ms), pgbench_per_second: pgbench(round_ms) });
    }
    const a_message = await stage.statementsPer(() => measure(WARM_UP_MS));
    await checkPrescribed(stage, first - 1);
    return intakeReport(rounds, a_message, read);
  });
}

/** The service answers 200 for a message that it only stored too, but the bench measures prescriptions. */
async function checkPrescribed({ db }: Stage, messages: number): Promise<void> {
  const text = "select count(*)::int as made from prescription where sender_message_id ~ '^B-[0-9]{7}$'";
  const made = Number((await db.raw(text)).rows[0]!["made"]);
  if (made !== messages) throw new Error(`${messages} messages created ${made} prescriptions`);
}

/** Messages belong to the operator's account of their environment, which owns the credential. */
export async function operatorOf({ db, demo }: Stage): Promise<string> {
  const { rows } = await db.raw("select account_id from account where partner_id is null and environment = $1", [
    demo.intake.environment,
  ]);
  return String(rows[0]!["account_id"]);
}

export async function intakeLoad(stage: Stage, operator_id: string, ncpdp_id: string) {
  const { demo, db, vault } = stage;
  const clients = await db.transaction(async (tx) => {
    const made: ShownSecret[] = [];
    for (let number = 0; number < CREDENTIALS; number++) {
      const given = { account_id: operator_id, name: "bench", scopes: ["intake"] };
      made.push(await createCredential({ vault }, tx, given, new Date()));
    }
    return made;
  });
  const tokens = await Promise.all(clients.map((client) => issueToken(demo.sandbox_auth_url, client, "intake")));
  const request = (patient: string, token: string) => {
    const body = scriptMessage(NUMBER_MARK, patient, ncpdp_id);
    return [
      "POST /intake/script HTTP/1.1",
      "host: localhost",
      "content-type: application/xml",
      `authorization: Bearer ${token}`,
      `content-length: ${body.length}`,
      "",
      body,
    ].join("\r\n");
  };
  const requests: string[] = [];
  for (let known = 0; known < KNOWN_PATIENTS; ) {
    const number = requests.length;
    const patient = number % NEW_EVERY === 0 ? NUMBER_MARK : String(9_000_000 + known++);
    requests.push(request(patient, tokens[number % CREDENTIALS]!));
  }
  return { url: demo.base_url, requests } satisfies Partial<Load>;
}
