import { changeCodes } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type PharmacyContent,
  type PharmacyEnvelope,
  type PharmacyMedication,
  pharmacyVersions,
  type Treatment,
} from "../../../src/domain/prescribers/pharmacy-message.ts";
import { readNetworkAnswer, readPharmacyMessage } from "../../../src/formats/script/read-pharmacy.ts";
import { writePharmacyMessage } from "../../../src/formats/script/write-pharmacy.ts";
import { parseXml, type XmlElement } from "../../../src/formats/script/xml.ts";
import { bytes, prescription, without, writable } from "../../support/samples/script-samples.ts";
import { effort } from "../../support/tools/effort.ts";

const envelopeOf = (version: (typeof pharmacyVersions)[number]): PharmacyEnvelope => ({
  version,
  from: "9900017",
  to: "6120042",
  message_id: "6b0c2f5e7a9d4c31b8e2f0a1d3c4b5a6",
  relates_to_message_id: "TF-0001",
  sent_time: "2027-02-10T17:20:00.000Z",
  test_message: true,
  rx_reference_number: "183615",
  prescriber_order_number: "ORD-5512",
});

const treatment: Treatment = {
  patient: prescription.patient,
  prescriber: prescription.prescriber,
  pharmacy: {
    ncpdp_id: "9900017",
    npi: "1245319599",
    name: "Quarry Road Pharmacy",
    address: {
      street1: "410 Quarry Road",
      street2: null,
      city: "Portland",
      state: "OR",
      zip: "97205",
      country: "US",
    },
    phone: "5035550100",
  },
};

const medication: PharmacyMedication = {
  drug: prescription.drug,
  quantity: { value: 90, unit: "tablet" },
  days_supply: 90,
  written_date: "2026-11-10",
  last_fill_date: "2027-01-20",
  daw: true,
  refills: 3,
  note: "Same product as last time.",
  service_reason: "DD",
  sig_text: "Take 1 tablet by mouth every evening.",
  requested_refills: 4,
};

const contents: [string, PharmacyContent][] = [
  ["a renewal", { kind: "renewal", dispensed: medication, prescribed: medication, ...treatment }],
  ...Object.keys(changeCodes).map((code): [string, PharmacyContent] => [
    `a change, ${code}`,
    {
      kind: "change",
      code: code as keyof typeof changeCodes,
      reason: "The directions contradict the quantity.",
      prescribed: medication,
      requested: [medication, { ...medication, daw: false }],
      ...treatment,
    },
  ]),
  [
    "a fill",
    { kind: "fill", status: "dispensed", note: null, dispensed: medication, prescribed: medication, ...treatment },
  ],
  [
    "a partial fill",
    {
      kind: "fill",
      status: "partially_dispensed",
      note: "30 of 90",
      dispensed: { ...medication, quantity: { value: 30, unit: "tablet" } },
      prescribed: medication,
      ...treatment,
    },
  ],
  [
    "no fill",
    {
      kind: "fill",
      status: "not_dispensed",
      note: "Returned to the pharmacy.",
      dispensed: null,
      prescribed: medication,
      ...treatment,
    },
  ],
  ["a canceled prescription", { kind: "cancel", approved: true, reason_codes: [], note: "Nothing was dispensed." }],
  ["a late cancellation", { kind: "cancel", approved: false, reason_codes: ["AA"], note: "Dispensed." }],
];

const cases = pharmacyVersions.flatMap((version) =>
  contents.map(([name, content]) => [`${name}, ${version}`, { envelope: envelopeOf(version), content }] as const),
);

/**
 * The standard's order: of the header, of a request, of a response, of a medication and of their parts. A test's own
 * copy, so that a change of the writer must change it here too.
 */
const ORDER: Record<string, readonly string[]> = {
  Message: ["Header", "Body"],
  Header: [
    "To",
    "From",
    "MessageID",
    "RelatesToMessageID",
    "SentTime",
    "Security",
    "SenderSoftware",
    "Mailbox",
    "TestMessage",
    "RxReferenceNumber",
    "TertiaryIdentifier",
    "PrescriberOrderNumber",
  ],
  ...Object.fromEntries(
    ["RxRenewalRequest", "RxChangeRequest", "RxFill"].map((name) => [
      name,
      [
        "MessageRequestCode",
        "FillStatus",
        "Patient",
        "Pharmacy",
        "Prescriber",
        "MedicationDispensed",
        "MedicationPrescribed",
        "MedicationRequested",
        "ChangeReasonText",
      ],
    ]),
  ),
  ...Object.fromEntries(
    ["MedicationDispensed", "MedicationPrescribed", "MedicationRequested"].map((name) => [
      name,
      [
        "Product",
        "DrugDescription",
        "DrugCoded",
        "Quantity",
        "DaysSupply",
        "WrittenDate",
        "LastFillDate",
        "Substitutions",
        "NumberOfRefills",
        "Note",
        "DrugUseEvaluation",
        "Sig",
        "PharmacyRequestedRefills",
      ],
    ]),
  ),
  Pharmacy: ["Identification", "BusinessName", "Address", "CommunicationNumbers"],
  Denied: ["ReasonCode", "DenialReason"],
};

function disorder(element: XmlElement): string[] {
  const names = element.children.map(({ name }) => name);
  const order = ORDER[element.name] ?? names;
  const places = names.map((name) => order.indexOf(name));
  const wrong = places.some((place, at) => place < 0 || place < (places[at - 1] ?? 0));
  return [...(wrong ? [element.name] : []), ...element.children.flatMap(disorder)];
}

function rootOf(xml: string): XmlElement {
  const parsed = parseXml(xml);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.root;
}

describe("a message of the pharmacy", () => {
  test.each(cases)("our reader accepts %s and reads what was written", (_, message) => {
    expect(readPharmacyMessage(bytes(writePharmacyMessage(message)))).toEqual(message);
  });

  test.each(cases)("keeps the standard's order of elements: %s", (_, message) => {
    expect(disorder(rootOf(writePharmacyMessage(message)))).toEqual([]);
  });

  test("the check of the order finds elements that changed places", () => {
    const xml = writePharmacyMessage(cases[0]![1]);
    expect(disorder(rootOf(xml.replace(/(<Patient>.*<\/Patient>)(<Pharmacy>.*<\/Pharmacy>)/, "$2$1")))).toEqual([
      "RxRenewalRequest",
    ]);
  });

  test("no text can break out of its element, and none is lost", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const note = writable(text, "\uFFFD").trim() || null;
        const content: PharmacyContent = { kind: "cancel", approved: true, reason_codes: [], note: text };
        const read = readPharmacyMessage(bytes(writePharmacyMessage({ envelope: envelopeOf("2017071"), content })));
        expect(read?.content).toEqual({ ...content, note });
      }),
      { numRuns: effort(200) },
    );
  });

  test("is cut to the lengths of the standard", () => {
    const long = "x".repeat(500);
    const [, change] = contents[1]!;
    const [, fill] = contents.find(([name]) => name === "a fill")!;
    const written = (content: PharmacyContent) =>
      readPharmacyMessage(bytes(writePharmacyMessage({ envelope: envelopeOf("2017071"), content })))?.content;
    expect(written({ ...change, reason: long } as PharmacyContent)).toMatchObject({ reason: "x".repeat(260) });
    expect(written({ ...fill, note: long } as PharmacyContent)).toMatchObject({ note: "x".repeat(70) });
  });

  test.each(["Patient", "Pharmacy", "Prescriber", "MedicationDispensed", "LastFillDate", "Header", "SentTime"])(
    "a renewal request without %s is not one",
    (name) => {
      const xml = writePharmacyMessage(cases[0]![1]);
      const edited = name === "LastFillDate" ? without("LastFillDate", xml) : without(name, xml);
      expect(readPharmacyMessage(bytes(edited))).toBeNull();
    },
  );

  test("bytes that are no message are none", () => {
    for (const text of ["", "<a/>", "<Message/>", "<Message><Body/></Message>", "\u0000"]) {
      expect(readPharmacyMessage(bytes(text)), text).toBeNull();
      expect(readNetworkAnswer(bytes(text)), text).toBeNull();
    }
  });
});

describe("the answer of a network", () => {
  const answer = (body: string) => readNetworkAnswer(bytes(`<Message><Body>${body}</Body></Message>`));
  test("is a receipt or an error with its codes", () => {
    expect(answer("<Status><Code>000</Code></Status>")).toEqual({ kind: "taken" });
    expect(answer("<Verify><VerifyStatus><Code>010</Code></VerifyStatus></Verify>")).toEqual({ kind: "taken" });
    expect(answer("<Error><Code>900</Code><DescriptionCode>002</DescriptionCode></Error>")).toEqual({
      kind: "error",
      code: "900",
      description_code: "002",
    });
    expect(answer("<NewRx/>")).toBeNull();
  });
});
