import type { Content, Envelope } from "../../src/domain/intake/incoming-message.ts";
import { writeScript } from "../../src/formats/script/write.ts";
import { envelope, newRx, prescription } from "./samples/script-samples.ts";
import type { TestApp } from "./test-app.ts";
import { freshToken } from "./token-request.ts";
import { until } from "./tools/until.ts";

/** A NewRx for the sandbox partner of the API Driven workflow. Any part of it can be overridden. */
export function newMessage(change: {
  envelope?: Partial<Envelope>;
  content?: Content;
  prescription?: Partial<typeof prescription>;
  patient?: Partial<(typeof prescription)["patient"]>;
}): Buffer {
  const { patient, ...rest } = { ...prescription, ...change.prescription };
  const content = change.content ?? { ...newRx, prescription: { ...rest, patient: { ...patient, ...change.patient } } };
  return Buffer.from(writeScript({ ...envelope("2017071"), ...change.envelope }, content as Content, "2017071"));
}

/** Delivers as an e-prescription network does: real sockets, the demo's intake credential. */
export async function openIntake(app: TestApp) {
  const token = await freshToken(app, app.demo.intake, "intake");
  const send = async (body: Buffer | string, options: { path?: string; type?: string } = {}) => {
    const response = await fetch(`${app.addresses.base_url}${options.path ?? "/intake/script"}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": options.type ?? "application/xml" },
      body: typeof body === "string" ? body : new Uint8Array(body),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    token,
    send,
    /** Sends again while the service is too busy, as a network must. A busy machine cannot take a hundred at once. */
    async deliver(body: Buffer) {
      let answer = await send(body);
      await until(async () => {
        if (answer.status === 503) answer = await send(body);
        return answer.status !== 503;
      }, "the message is delivered");
      return answer;
    },
  };
}

/** The row count of each intake table, which a rejected message must not change. */
export async function intakeRows(app: TestApp): Promise<Record<string, number>> {
  const tables = ["intake_message", "patient", "patient_alias", "prescription", "review", "webhook_event"];
  const counts = tables.map(async (table) => {
    const { rows } = await app.deps.db.raw(`select count(*)::int as count from ${table}`);
    return [table, rows[0]!["count"] as number] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}
