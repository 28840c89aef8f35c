import { describe, expect, test } from "vitest";
import { outcomeOf } from "../../../src/formats/fhir/outcome.ts";
import { readFhir } from "../../../src/formats/fhir/read.ts";
import { mutateFhir } from "../../support/samples/fhir-mutations.ts";
import { bytesOf, type Loose, prescription } from "../../support/samples/fhir-samples.ts";
import { effort } from "../../support/tools/effort.ts";
import { quickest } from "../../support/tools/quickest.ts";

const MESSAGES = effort(2_000);
const MOST_MS = 200;

const readingTime = (body: Uint8Array) => quickest(MOST_MS, () => readFhir(body, null));

/** Every text inside the value. */
function textsWithin(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsWithin) : [];
}

describe(`${MESSAGES} damaged messages`, () => {
  test("are read or rejected quickly, give storable texts, and get answers that repeat none of their content", () => {
    const { patient, prescriber, drug } = prescription;
    const secrets = [patient.last_name, patient.phone, patient.dob, prescriber.npi, drug.description];
    const outcomes = { read: 0, refused: 0 };
    for (let seed = 1; seed <= MESSAGES; seed++) {
      const body = mutateFhir(seed);
      expect(readingTime(body), `seed ${seed}`).toBeLessThan(MOST_MS);
      const result = readFhir(body, null);
      const answer = result.ok
        ? outcomeOf("received", result.message.warnings)
        : outcomeOf(result.refusal, result.warnings);
      outcomes[result.ok ? "read" : "refused"]++;
      const unfit = textsWithin(result).filter(
        (text) => text === "" || text !== text.trim() || /\0|\p{Cs}/u.test(text),
      );
      expect(unfit, `seed ${seed}`).toEqual([]);
      const told = JSON.stringify(answer);
      expect(
        secrets.filter((secret) => secret !== null && told.includes(secret)),
        `seed ${seed}`,
      ).toEqual([]);
    }
    // A mutation that always or never breaks a message tests nothing.
    expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(MESSAGES / 10);
  });

  test("are the same messages every time", () => {
    expect([7, 8, 9].map((seed) => Buffer.from(mutateFhir(seed)).toString("base64"))).toEqual(
      [7, 8, 9].map((seed) => Buffer.from(mutateFhir(seed)).toString("base64")),
    );
  });
});

describe("a message of 1 MiB, built to be slow", () => {
  const many = (count: number, item: (index: number) => Loose) =>
    Array.from({ length: count }, (_, index) => item(index));
  const request = (fields: Loose) => ({
    resourceType: "MedicationRequest",
    status: "active",
    intent: "order",
    ...fields,
  });
  const inBundle = (...resources: Loose[]) => ({
    resourceType: "Bundle",
    type: "collection",
    entry: resources.map((resource) => ({ resource })),
  });
  const patient = { resourceType: "Patient", id: "p", identifier: many(30_000, (index) => ({ value: `v${index}` })) };
  const hostile: Record<string, Loose> = {
    "a patient who is there twice, with every identifier": inBundle(
      request({ subject: { identifier: { value: "v1" } } }),
      { ...patient, identifier: patient.identifier.slice(0, 15_000) },
      { ...patient, identifier: patient.identifier.slice(0, 15_000) },
    ),
    "records of a patient known by identifiers": inBundle(
      request({ subject: { reference: "Patient/p" } }),
      patient,
      ...many(400, () => ({ resourceType: "AllergyIntolerance", patient: { identifier: { value: "v29999" } } })),
    ),
    "a signature over everything": inBundle(request({}), {
      resourceType: "Provenance",
      signature: [{ data: "x" }],
      target: many(25_000, (index) => ({ reference: `https://a.example/${index}` })),
    }),
    "a focus on everything": inBundle(request({}), {
      resourceType: "MessageHeader",
      focus: many(25_000, (index) => ({ reference: `Patient/${index}/_history/1` })),
    }),
    "names, addresses and telephones without end": inBundle(request({ subject: { reference: "Patient/p" } }), {
      resourceType: "Patient",
      id: "p",
      name: many(10_000, () => ({ given: ["a"] })),
      address: many(10_000, () => ({ use: "home" })),
      telecom: many(10_000, (index) => ({ system: "phone", rank: 10_000 - index, value: "1" })),
    }),
    "contained resources that refer to each other": request({
      contained: many(498, (index) => ({
        resourceType: "AllergyIntolerance",
        id: `a${index}`,
        patient: { reference: `#a${497 - index}` },
        code: { text: "x".repeat(1_000) },
      })),
    }),
    "one endless text": request({ dosageInstruction: [{ text: " \n".repeat(500_000) }] }),
    "one endless address": request({ subject: { reference: `https://a/${"a/".repeat(500_000)}` } }),
    "directions without end": request({
      dosageInstruction: many(30_000, (index) => ({ sequence: -index, text: "One." })),
    }),
  };

  test.each(Object.entries(hostile))("%s", (_, json) => {
    expect(readingTime(bytesOf(json))).toBeLessThan(MOST_MS);
  });
});
