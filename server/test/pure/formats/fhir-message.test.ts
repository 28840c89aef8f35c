import { describe, expect, test } from "vitest";
import { identifierSystems } from "../../../src/formats/fhir/systems.ts";
import { writeFhir } from "../../../src/formats/fhir/write.ts";
import {
  add,
  bundle,
  bundleWith,
  contained,
  envelope,
  type Loose,
  message,
  prescription,
  read,
  the,
} from "../../support/samples/fhir-samples.ts";

const envelopeOf = (json: unknown, ncpdp_id: string | null = null) => message(json, ncpdp_id).envelope;

describe("a message is recognized", () => {
  test("by its Bundle's identifier, or else by the request's, or else not at all", () => {
    const identifiers = [
      { value: "first" },
      { use: "official", system: "urn:clinic", value: "official" },
      { type: { coding: [{ code: "PLAC" }] }, system: "urn:clinic", value: "placer" },
    ];
    const identified = (count: number) =>
      bundleWith((request, all) => {
        delete all.identifier;
        request.identifier = identifiers.slice(0, count);
      });
    expect(envelopeOf(bundle()).message_id).toBe(envelope.message_id);
    expect(envelopeOf(identified(3))).toMatchObject({
      message_id: "urn:clinic|placer",
      prescriber_order_number: "placer",
    });
    expect(envelopeOf(identified(2)).message_id).toBe("urn:clinic|official");
    expect(envelopeOf(identified(1)).message_id).toBe("first");
    expect(envelopeOf(identified(0))).toMatchObject({ message_id: null, prescriber_order_number: null });
  });

  test("an identifier that is too long is ignored", () => {
    const long = bundleWith((_, all) => {
      all.identifier.value = "x".repeat(300);
    });
    expect(envelopeOf(long).message_id).toBe(envelope.prescriber_order_number);
  });

  test("a cancellation is not confused with the prescription it cancels", () => {
    const cancelled = contained(writeFhir(prescription, envelope, "cancelled"));
    expect(envelopeOf(cancelled)).toMatchObject({
      message_id: null,
      relates_to_message_id: envelopeOf(contained(bundle())).message_id,
      prescriber_order_number: envelope.prescriber_order_number,
    });
    expect(envelopeOf(writeFhir(prescription, envelope, "cancelled")).message_id).toBe(envelope.message_id);
  });

  test("the sender is the header's endpoint, or else the Bundle's source, or else the request's", () => {
    const sent = bundleWith((request, all) => {
      request.meta = { source: "urn:request" };
      add(all, { resourceType: "MessageHeader", source: { endpoint: "urn:header" } });
    });
    expect(envelopeOf(sent).from).toBe("urn:header");
    sent.entry.pop();
    expect(envelopeOf(sent).from).toBe(envelope.from);
    delete sent.meta;
    expect(envelopeOf(sent).from).toBe("urn:request");
  });

  test("test data is marked as such", () => {
    expect(envelopeOf(writeFhir(prescription, { ...envelope, test_message: true })).test_message).toBe(true);
  });
});

describe("the receiver", () => {
  test.each(identifierSystems.ncpdp)("is named by an NCPDP id under %s", (system) => {
    const addressed = bundleWith((request) => {
      request.dispenseRequest.performer = { identifier: { system, value: "9900025" } };
    });
    expect(envelopeOf(addressed).to).toBe("9900025");
  });

  test("is the dispenser, or else the performer, the message's destination, or the one given with the message", () => {
    const named = (value: string) => ({ identifier: { system: identifierSystems.ncpdp[0], value } });
    const addressed = bundleWith((request, all) => {
      request.performer = named("2222222");
      add(all, { resourceType: "MessageHeader", destination: [{ receiver: named("3333333") }] });
    });
    const request = the("MedicationRequest", addressed);
    expect(envelopeOf(addressed, "9900017").to).toBe("9900017");
    delete request.dispenseRequest.performer;
    expect(envelopeOf(addressed).to).toBe("2222222");
    delete request.performer;
    expect(envelopeOf(addressed).to).toBe("3333333");
    addressed.entry.pop();
    expect(envelopeOf(addressed, "4444444").to).toBe("4444444");
    expect(envelopeOf(addressed)).toMatchObject({ to: null, to_qualifier: null });
  });

  test("in the message takes precedence over the one given with it, and a warning says so", () => {
    const { envelope: addressed, warnings } = message(bundle(), "9900025");
    expect(addressed.to).toBe("9900017");
    expect(warnings.map(({ code }) => code)).toEqual(["receiver_conflict"]);
  });
});

describe("a cancellation", () => {
  test.each([
    ["cancelled", false],
    ["stopped", true],
    ["entered-in-error", false],
  ] as const)("is a request with status %s (discontinues: %s)", (status, discontinue) => {
    expect(message(writeFhir(prescription, envelope, status)).content).toEqual({
      kind: "cancel",
      discontinue,
      target: {
        patient: prescription.patient,
        prescriber_npi: prescription.prescriber.npi,
        drug_description: prescription.drug.description,
        drug_codes: prescription.drug.codes,
        written_date: prescription.written_date,
      },
    });
  });

  test("needs only its identifier, and raises no warnings", () => {
    const identifier = [{ system: "urn:clinic", value: "88121" }];
    const { content, warnings, envelope } = message({
      resourceType: "MedicationRequest",
      status: "cancelled",
      identifier,
    });
    expect(content).toMatchObject({ kind: "cancel", target: { patient: null, drug_description: null } });
    expect(warnings).toEqual([]);
    expect(envelope.relates_to_message_id).toBe("urn:clinic|88121");
  });
});

describe("the request that counts", () => {
  const another = (fields: Loose) => ({ resourceType: "MedicationRequest", id: "other", intent: "order", ...fields });
  const outcome = (spoil: (request: Loose, all: Loose) => void) => {
    const result = read(bundleWith(spoil));
    return result.ok ? result.message.content.kind : result.refusal.description_code;
  };

  test("two orders in one message are rejected", () => {
    expect(outcome((_, all) => add(all, another({ status: "active" })))).toBe("179");
  });

  test("completed requests, renewed ones and those outside the header's focus are only information", () => {
    expect(outcome((_, all) => add(all, another({ status: "completed" })))).toBe("new");
    expect(
      outcome((request, all) => {
        request.priorPrescription = { reference: "MedicationRequest/other" };
        add(all, another({ status: "active" }));
      }),
    ).toBe("new");
    expect(
      outcome((_, all) => {
        const focus = [{ reference: "https://prescriber.example/fhir/MedicationRequest/prescription" }];
        add(all, another({ status: "active" }), { resourceType: "MessageHeader", focus });
      }),
    ).toBe("new");
  });

  test("a new order and the cancellation of the one it replaces count as two", () => {
    expect(
      outcome((request, all) => {
        request.priorPrescription = { reference: "MedicationRequest/other" };
        add(all, another({ status: "stopped" }));
      }),
    ).toBe("179");
  });

  test("two requests that renew each other count as two", () => {
    expect(
      outcome((request, all) => {
        request.priorPrescription = { reference: "MedicationRequest/other" };
        const back = { reference: "https://prescriber.example/fhir/MedicationRequest/prescription" };
        add(all, another({ status: "active", priorPrescription: back }));
      }),
    ).toBe("179");
  });

  test("a resource that a transaction deletes is ignored", () => {
    expect(
      outcome((_, all) => {
        all.entry.push({ request: { method: "DELETE" }, resource: another({ status: "active" }) });
      }),
    ).toBe("new");
  });
});
