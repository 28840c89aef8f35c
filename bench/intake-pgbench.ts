import type { Queryable } from "../server/src/db/db.ts";
import { messagePlace, storeMessageText } from "../server/src/db/intake/messages.ts";
import {
  type IntakeSave,
  loadIntakeContextText,
  saveIntake,
  saveIntakeText,
} from "../server/src/db/intake/receive-prescription.ts";
import { calls } from "../server/src/db/schema-rows.ts";
import { bytes } from "../server/src/db/values.ts";
import { makeFormulary } from "../server/src/domain/catalogue/formulary.ts";
import { decideIntake } from "../server/src/domain/intake/decide-intake.ts";
import { newPatientRecord } from "../server/src/domain/patients/patient-record.ts";
import { scriptFormat } from "../server/src/formats/formats.ts";
import { products } from "../server/src/seed/cast.ts";
import { changesOf } from "../server/src/usecases/intake/intake-changes.ts";
import {
  blindIndexes,
  patientIdColumns,
  patientIndex,
  patientRow,
} from "../server/src/usecases/patients/patient-rows.ts";
import { prescriptionFor, SENDER, scriptMessage } from "./intake-message.ts";
import { concatenation, EVENT_ID_EXPRESSION, type PgbenchRun, sentText, withValues } from "./pgbench.ts";
import type { Stage } from "./stage.ts";

/** Patients that only pgbench uses. They have numbers because pgbench's variables are numbers. */
const FIRST_KNOWN = 1_000_001;
const LAST_KNOWN = 1_005_000;
/** One message in four is about a new patient, as over HTTP. */
const WEIGHTS = { stranger: 1, known: 3 };

/** Values of the service's sample message that pgbench varies. */
const SAMPLE = "7700000";
const SAMPLE_PRESCRIPTION = 990_000_000_001;
const SAMPLE_MESSAGE = 990_000_000_002;
const SAMPLE_KEY = 990_000_000_003;

/** A 16-byte index that differs by number. The letter distinguishes the kinds of index. */
const index = (letter: string, number: string) => `decode(${hexIndex(letter, number)}, 'hex')`;
const hexIndex = (letter: string, number: string) => `lpad(${number}::text, 32, '${letter}')`;

/**
 * The three statements of a message as the service sends them, each in its own transaction. They make the same
 * changes as the service does for this message, with encrypted values of the same size.
 */
export async function intakePgbench(
  { db, vault }: Stage,
  accounts: { operator_id: string; account_id: string; ncpdp_id: string },
): Promise<Omit<PgbenchRun, "duration_ms">> {
  const now = new Date();
  const body = Buffer.from(scriptMessage(SAMPLE, SAMPLE, accounts.ncpdp_id));
  const body_sealed = vault.seal(body, messagePlace(accounts.operator_id, SENDER, SAMPLE));
  const { record } = newPatientRecord(prescriptionFor(SAMPLE), now);
  const { record_sealed } = patientRow({ vault }, accounts.account_id, SAMPLE_KEY, record, now);
  const { id_sealed } = patientIdColumns({ vault }, accounts.account_id, SAMPLE_KEY, `K-${SAMPLE}`);
  const made = [accounts.account_id, FIRST_KNOWN, LAST_KNOWN, now];
  // With keys and indexes of their names, because jobs of the service would open the records of patients without them again and again.
  await db.raw(
    `insert into patient (account_id, patient_key, id_sealed, id_index, record_sealed, name_dob_index, surname_index,
      dob_index, phone_index, person_keys, created_at, updated_at)
    select $1, n, $6::bytea, ${index("e", "n")}, $5::bytea, ${index("a", "n")}, ${index("f", "n")},
      ${index("d", "n")}, ${index("b", "n")}, '{}', $4, $4
    from generate_series($2::int, $3::int) as n`,
    [...made, record_sealed, id_sealed],
  );
  await db.raw(
    `insert into patient_alias (account_id, alias_index, patient_key, created_at)
    select $1, alias_index, n, $4
    from generate_series($2::int, $3::int) as n, (values ('c'), ('d')) as kind (letter),
      lateral (select decode(lpad(n::text, 32, letter), 'hex')) as made (alias_index)`,
    made,
  );
  await db.raw(
    `insert into patient_name_claim (account_id, name_dob_index, revision)
    select $1, ${index("a", "n")}, 1
    from generate_series($2::int, $3::int) as n`,
    made.slice(0, 3),
  );

  const variables: Record<string, string> = {
    ...accounts,
    sender: SENDER,
    now: now.toISOString(),
    body_sealed: bytes(body_sealed),
  };
  const types = Object.values(calls.save_intake);
  const samples = {
    stranger: await sampleSave({ vault }, accounts, "stranger", now),
    known: await sampleSave({ vault }, accounts, "known", now),
  };
  const script = (kind: keyof typeof WEIGHTS) => {
    const patient = kind === "known" ? ":known" : ":number";
    const replaced = replacements(vault, accounts.account_id, patient);
    const changes = samples[kind].map((value, place) =>
      value === null ? "null" : `${concatenation(value, replaced, `${kind}_${place}`, variables)}::${types[place]}`,
    );
    const text = [
      // So many that duplicates are rare.
      "\\set number random(1000000000, 1000000000000000)",
      `\\set known random(${FIRST_KNOWN}, ${LAST_KNOWN})`,
      `${storeStatement} \\gset`,
      `${loadStatement(patient, kind)} \\gset`,
      `${withValues(saveIntakeText, changes)};`,
    ];
    return { text: `${text.join("\n")}\n`, weight: WEIGHTS[kind] };
  };
  return { scripts: [script("stranger"), script("known")], variables };
}

const storeStatement = withValues(storeMessageText, [
  ":operator_id",
  "'script'",
  ":sender",
  "'B-' || :number::text",
  "decode(md5(:number::text) || md5(:number::text), 'hex')",
  ":body_sealed::bytea",
  ":now",
  "'new'",
  ":ncpdp_id",
  "null",
]);

const loadStatement = (patient: string, kind: string) =>
  withValues(loadIntakeContextText, [
    ":account_id",
    `array[${index("c", patient)}, ${index("d", patient)}]`,
    index("a", patient),
    index("b", patient),
    `array[${index(kind === "known" ? "e" : "f", patient)}, ${index("0", patient)}]`,
    ":sender",
    "null",
    "null",
    "false",
    "null",
  ]);

type Sealing = Pick<Stage, "vault">;

/** The arguments with which the service would save the sample message. */
async function sampleSave(
  { vault }: Sealing,
  accounts: { operator_id: string; account_id: string; ncpdp_id: string },
  kind: keyof typeof WEIGHTS,
  now: Date,
): Promise<(string | null)[]> {
  const { account_id } = accounts;
  const read = scriptFormat.read(Buffer.from(scriptMessage(SAMPLE, SAMPLE, accounts.ncpdp_id)));
  if (!read.ok || read.message.content.kind !== "new") throw new Error("the service rejects the sample message");
  const { message } = read;
  const { patient } = read.message.content.prescription;
  const { record } = newPatientRecord(read.message.content.prescription, now);
  const candidates = kind === "known" ? [{ patient_id: `K-${SAMPLE}`, same_id: true, record }] : [];
  const rules = {
    time_zone: "America/New_York",
    expiry_months: 12,
    expiry_months_by_state: {},
    schedule_2_days: 90,
    schedule_2_days_by_state: {},
  };
  const decision = decideIntake(
    message,
    { candidates, taken_patient_ids: [], prescriptions: [], formulary: products },
    { sender: SENDER, workflow: "api_driven", rules, now, new_patient_id: "none" },
  );
  if ((decision.patient?.is_new ?? true) !== (kind === "stranger"))
    throw new Error(`the sample patient is not a ${kind}`);
  const { envelope } = message;
  const about = { envelope, warnings: [], message_id: "0".repeat(32), sent_time: now, prescription_id: null };
  const changes = changesOf(
    { vault },
    {
      decision,
      message,
      stored: {
        account_id: accounts.operator_id,
        intake_message_id: SAMPLE_MESSAGE,
        format: "script",
        sender: SENDER,
        sender_message_id: envelope.message_id!,
        body_hash: Buffer.alloc(32),
        received_at: now,
        kind: "new",
      },
      account_id,
      workflow: "api_driven",
      prescription_id: SAMPLE_PRESCRIPTION,
      answer: scriptFormat.reply(decision.reply, about),
      now,
      claim_revision: 0,
      revision: 1,
      new_aliases: kind === "known" ? [] : blindIndexes({ vault }, account_id, SENDER, patient).alias_indexes,
      patient_key: SAMPLE_KEY,
      record_before: null,
      ended: [],
      order_errors: [],
      rules: {
        formulary: makeFormulary({ products: [], methods: [], brands: [], licences: [] }),
        time_zone: rules.time_zone,
        now,
        today: now.toISOString().slice(0, 10),
      },
    },
  );
  // The service draws a new event id each time; here all ids are one text.
  return (await sentBy(changes)).map(
    (value) => value?.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, EVENT_ID) ?? null,
  );
}

/** The parameters that the service would send. */
async function sentBy(changes: IntakeSave): Promise<(string | null)[]> {
  let sent: (string | null)[] = [];
  const row: Queryable["row"] = async (_statement, params) => {
    sent = params.map(sentText);
    return undefined;
  };
  await saveIntake({ row } as Queryable, changes);
  return sent;
}

const EVENT_ID = "@event_id@";

/** Maps texts of the sample to pgbench expressions. */
function replacements(vault: Stage["vault"], account_id: string, patient: string): Map<string, string> {
  const sample = { ...prescriptionFor(SAMPLE).patient, phone: `916${SAMPLE}` };
  const indexes = blindIndexes({ vault }, account_id, SENDER, sample);
  const hex = (value: Buffer) => value.toString("hex");
  return new Map([
    [`B-${SAMPLE}`, "'B-' || :number::text"],
    [`O-${SAMPLE}`, "'O-' || :number::text"],
    [String(SAMPLE_KEY), `${patient}::text`],
    [hex(patientIndex({ vault }, account_id, `MRN-${SAMPLE}`)), hexIndex("f", patient)],
    [String(SAMPLE_PRESCRIPTION), ":next_prescription_id::text"],
    [String(SAMPLE_MESSAGE), ":new_id::text"],
    [EVENT_ID, EVENT_ID_EXPRESSION],
    [hex(indexes.name_dob_index!), hexIndex("a", patient)],
    [hex(indexes.phone_index!), hexIndex("b", patient)],
    [hex(indexes.alias_indexes[0]!), hexIndex("c", patient)],
    [hex(indexes.alias_indexes[1]!), hexIndex("d", patient)],
  ]);
}
