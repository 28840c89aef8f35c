import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Envelope } from "../../../src/domain/intake/incoming-message.ts";
import { intakeRefusals } from "../../../src/domain/intake/intake-refusals.ts";
import { intakeRows, newMessage, openIntake } from "../../support/intake.ts";
import { prescribed } from "../../support/orders.ts";
import { ask } from "../../support/patient.ts";
import { change, without } from "../../support/samples/script-samples.ts";
import { arrived, fieldsOf, simulate } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

/** SCRIPT messages through `POST /simulate`. The samples are addressed to partner 0 of the demo. */

const AUTOMATIC = 1;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

let number = 0;
/** A NewRx for a new patient, with overrides. */
const message = (given: Parameters<typeof newMessage>[0] = {}) => {
  number++;
  const envelope = { message_id: `SIM-${number}`, prescriber_order_number: null, ...given.envelope };
  const patient = {
    ids: [{ kind: "medical_record" as const, value: `script-${number}` }],
    phone: `91655502${10 + number}`,
  };
  const expiration_date = null;
  return newMessage({
    ...given,
    envelope: envelope as Partial<Envelope>,
    prescription: { written_date: "2026-11-10", effective_date: null, expiration_date, ...given.prescription },
    patient: {
      ...patient,
      last_name: `Quill ${"abcdefghij"[number % 10]}${"abcdefghij"[Math.floor(number / 10)]}`,
      ...given.patient,
    },
  }).toString();
};
const send = (script: unknown, options = {}) => simulate(app, "prescription", { script }, options);
/** A CancelRx that refers to another message, and contains nothing else. */
const cancelOf = (relates_to_message_id: string) =>
  message({
    envelope: { relates_to_message_id },
    content: {
      kind: "cancel",
      discontinue: true,
      target: { patient: null, prescriber_npi: null, drug_description: null, drug_codes: [], written_date: null },
    },
  });

describe("a SCRIPT message", () => {
  test("becomes a prescription of the token's account, regardless of its addressee", async () => {
    for (const to of ["9900017", "0000000"]) {
      const made = await arrived(app, { script: message({ envelope: { to } }) }, { partner: AUTOMATIC });
      expect(made.patient_id).toBe(`script-${number}`);
      const { rows } = await app.deps.db.raw("select account_id, source from prescription where prescription_id = $1", [
        made.prescription_id,
      ]);
      expect(rows).toEqual([{ account_id: app.demo.partners[AUTOMATIC]!.account_id, source: "simulation" }]);
    }
  });

  test("under Automatic Processing is an order when the answer arrives", async () => {
    const { prescription_id } = await arrived(app, { script: message() }, { partner: AUTOMATIC });
    const { orders } = JSON.parse(
      (await ask(app, `/orders?prescription_id=${prescription_id}`, undefined, { partner: AUTOMATIC })).text,
    );
    expect(orders).toHaveLength(1);
  });

  test("counts as unsigned unless it has a signature", async () => {
    const prescription = { ...prescribed("zolpidem-5", 30), signature_evidence: false };
    const { prescription_id } = await arrived(app, { script: message({ prescription }) });
    const { rows } = await app.deps.db.raw("select acceptance from prescription where prescription_id = $1", [
      prescription_id,
    ]);
    expect(rows).toEqual([{ acceptance: "pending" }]);
  });

  test("that was sent before gets the same answer and changes nothing, from the network or simulated", async () => {
    const script = message();
    const first = await send(script);
    const networked = message();
    await (await openIntake(app)).send(networked);
    const before = await intakeRows(app);
    expect((await send(script)).text).toBe(first.text);
    const known = await send(networked);
    expect([known.status, known.body]).toEqual([
      202,
      { patient_id: `script-${number}`, prescription_id: expect.any(Number) },
    ]);
    expect(await intakeRows(app)).toEqual(before);
    // The same bytes for another account are another message.
    expect((await send(script, { partner: AUTOMATIC })).text).not.toBe(first.text);
  });

  test("with another message's id is rejected, and nothing is written", async () => {
    await send(message({ envelope: { message_id: "SIM-taken" } }));
    const before = await intakeRows(app);
    const { status, text } = await send(message({ envelope: { message_id: "SIM-taken" } }));
    expect([status, fieldsOf(text)]).toEqual([422, ["simulation.script"]]);
    expect(text).toContain(intakeRefusals["220"][1]);
    expect(await intakeRows(app)).toEqual(before);
  });

  test("that intake would reject is rejected with its reasons, and nothing is written", async () => {
    const before = await intakeRows(app);
    const refusals: [unknown, string[]][] = [
      ["", ["024"]],
      [7, ["024"]],
      ["<Message/>", ["010"]],
      ["<!DOCTYPE x><Message/>", ["023"]],
      [without("Quantity", message()), ["135"]],
      [without("DateOfBirth", message()), ["080"]],
      [message({ envelope: { from: `account ${app.demo.partners[0]!.account_id}` } }), ["028"]],
    ];
    for (const [script, codes] of refusals) {
      const { status, text } = await send(script);
      expect([codes, status]).toEqual([codes, 422]);
      expect(new Set(fieldsOf(text))).toEqual(new Set(["simulation.script"]));
      for (const code of codes) expect(text).toContain(intakeRefusals[code as "024"][1]);
    }
    expect(await intakeRows(app)).toEqual(before);
  });

  test("contains all of its data: other fields next to it are rejected", async () => {
    const { text } = await simulate(app, "prescription", { script: message(), drug_name: "x", patient: {} });
    expect(fieldsOf(text)).toEqual(["simulation.drug_name", "simulation.patient"]);
  });

  test("that cancels returns the prescription it ended, and cancels its order", async () => {
    const envelope = { message_id: "SIM-to-cancel" };
    const made = await arrived(app, { script: message({ envelope }) }, { partner: AUTOMATIC });
    const cancel = cancelOf("SIM-to-cancel");
    const { patient_id, prescription_id } = made;
    const answer = await send(cancel, { partner: AUTOMATIC });
    expect([answer.status, answer.body]).toEqual([202, { patient_id, prescription_id }]);
    const { orders } = JSON.parse(
      (await ask(app, `/orders?prescription_id=${prescription_id}`, undefined, { partner: AUTOMATIC })).text,
    );
    expect(orders).toMatchObject([{ order_status: "Canceled" }]);
    expect((await send(cancel, { partner: AUTOMATIC })).text).toBe(answer.text);
  });

  test("that finds nothing to cancel, or changes nothing, is accepted and returns nulls", async () => {
    const nothing = { patient_id: null, prescription_id: null };
    expect((await send(cancelOf("SIM-never"))).body).toEqual(nothing);
    expect((await send(message({ content: change }))).body).toEqual(nothing);
  });
});
