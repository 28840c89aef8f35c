import { createCredential, type ShownSecret } from "../server/src/usecases/accounts/manage-credentials.ts";
import { NUMBER_MARK, scriptMessage } from "./intake-message.ts";
import type { Load } from "./load.ts";
import { issueToken } from "./prepare-account.ts";
import type { Stage } from "./stage.ts";

/** Each credential may send 500 messages a second, so this many exceed what the machine can do. */
const CREDENTIALS = 20;
/** Patients that most messages are about. The warm-up adds them. */
const KNOWN_PATIENTS = 1_200;
/** One message in four is about a new patient. */
const NEW_EVERY = 4;

/** Messages belong to the operator's account of their environment, which owns the credential. */
export async function operatorOf({ db, demo }: Stage): Promise<string> {
  const { rows } = await db.raw("select account_id from account where partner_id is null and environment = $1", [
    demo.intake.environment,
  ]);
  return String(rows[0]!["account_id"]);
}

export async function intakeLoad(stage: Pick<Stage, "db" | "demo" | "vault">, operator_id: string, ncpdp_id: string) {
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
