import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IncomingPrescription } from "../../../src/domain/intake/incoming-message.ts";
import { writeFhir } from "../../../src/formats/fhir/write.ts";
import { envelopes, prescriptions } from "../../support/samples/fhir-arbitraries.ts";
import { contained, type Loose, message, prescriptionIn, referenceStyles } from "../../support/samples/fhir-samples.ts";
import { effort } from "../../support/tools/effort.ts";

const check = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>, numRuns = effort(1_000)) =>
  fc.assert(property, { seed: 20_261_115, numRuns });

describe("a prescription that is written and read back", () => {
  test("is the same, and so is its envelope", () => {
    check(
      fc.property(prescriptions, envelopes, (prescription, envelope) => {
        const read = message(writeFhir(prescription, envelope));
        expect(read.content).toEqual({ kind: "new", prescription });
        const message_id = envelope.message_id ?? envelope.prescriber_order_number;
        expect(read.envelope).toMatchObject({ ...envelope, message_id });
      }),
    );
  });

  test("is the same in every style of references, type of Bundle and order of entries", () => {
    const styles = fc.constantFrom(...Object.values(referenceStyles), contained);
    const types = fc.constantFrom("collection", "transaction", "message", "batch");
    check(
      fc.property(
        prescriptions,
        envelopes,
        styles,
        types,
        fc.infiniteStream(fc.nat()),
        (rx, envelope, style, type, keys) => {
          const restyled: Loose = style({ ...writeFhir(rx, envelope), type });
          const entries: Loose[] = restyled.entry ?? [];
          const shuffled = entries
            .map((entry) => ({ entry, key: keys.next().value }))
            .sort((a, b) => a.key - b.key)
            .map(({ entry }) => entry);
          expect(orderless(prescriptionIn({ ...restyled, entry: shuffled }))).toEqual(orderless(rx));
        },
      ),
    );
  });

  test("has no null, no empty list and no empty object, which FHIR does not allow", () => {
    check(
      fc.property(prescriptions, envelopes, (prescription, envelope) => {
        expect(JSON.stringify(writeFhir(prescription, envelope))).not.toMatch(/:(null|\[\]|\{\})[,}]/);
      }),
      200,
    );
  });
});

/** The entries of a Bundle have no order, so lists built from them have none either. */
function orderless(prescription: IncomingPrescription): IncomingPrescription {
  const { patient, allergies } = prescription;
  const sorted = <Item>(items: Item[]) =>
    items
      .map((item) => JSON.stringify(item))
      .sort()
      .map((item) => JSON.parse(item) as Item);
  return {
    ...prescription,
    allergies: Array.isArray(allergies) ? sorted(allergies) : allergies,
    patient: {
      ...patient,
      medications: sorted(patient.medications),
      health_conditions: sorted(patient.health_conditions),
    },
  };
}
