import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Content, IncomingMessage, ReadMessage } from "../../../src/domain/intake/incoming-message.ts";
import {
  type DescriptionCode,
  intakeRefusals,
  type readerRefusals,
} from "../../../src/domain/intake/intake-refusals.ts";
import { intakeWarnings, type WarningCode } from "../../../src/domain/intake/intake-warnings.ts";
import { readScript } from "../../../src/formats/script/read.ts";
import { scriptVersions } from "../../../src/formats/script/version.ts";
import { writeScript } from "../../../src/formats/script/write.ts";
import {
  bytes,
  cancelRx,
  change,
  edit,
  envelope,
  newRx,
  prescription,
  renewal,
  sample,
  without,
} from "../../support/samples/script-samples.ts";
import { shapes } from "../../support/samples/script-shapes.ts";

function taken(text: string): IncomingMessage {
  const read = readScript(bytes(text));
  if (!read.ok) throw new Error(`refused: ${JSON.stringify(read.refusal)}`);
  return read.message;
}

function prescriptionOf(text: string) {
  const { content } = taken(text);
  if (content.kind === "cancel" || content.prescription === null) throw new Error("no prescription");
  return content.prescription;
}

const codesOf = (read: ReadMessage) => (read.ok ? read.message.warnings : read.warnings).map(({ code }) => code);
const refusalsOf = (read: ReadMessage): DescriptionCode[] =>
  read.ok ? [] : [read.refusal.description_code, ...(read.refusal.also ?? [])];

describe("three generations of the standard", () => {
  const expected = {
    patient: {
      ids: [{ kind: "other", value: "F-77120" }],
      last_name: "Haverford",
      first_name: "Lionel",
      middle_name: null,
      suffix: null,
      dob: "1950-12-01",
      gender: "M",
      address: {
        street1: "77b Sage Ct",
        street2: null,
        city: "Reno",
        state: "NV",
        zip: "89512-1140",
        country: null,
      },
      phone: "7755550177",
      email: "lionel@haverford.example",
      medications: [],
      health_conditions: [],
    },
    prescriber: {
      last_name: "Quill",
      first_name: "Ada",
      practice: "Quarry Street Clinic",
      npi: "1245319599",
      dea: "BQ2345672",
      state_license: null,
      phone: "7755550133",
      fax: "7755550134",
      address: { street1: "12 Quarry St", street2: null, city: "Reno", state: "NV", zip: "89501", country: null },
    },
    drug: {
      description: "Zolpidem 5 mg tablet",
      codes: [
        { system: "ndc", code: "70999-0801-30" },
        { system: "rxnorm", code: "854873" },
      ],
      strength: "5 mg",
      schedule: "4",
    },
    quantity: { value: 30, unit: "tablet" },
    days_supply: 30,
    refills: 1,
    daw: true,
    sig_text: "One tablet at bedtime",
    note: null,
    diagnoses: [{ code: "G4700", system: "icd10cm", description: null }],
    allergies: "unknown",
    written_date: "2026-11-09",
    effective_date: "2026-11-20",
    expiration_date: null,
    signature_evidence: true,
    prior_authorization: null,
    fill_indicator: null,
    order_group: null,
  };

  test.each(scriptVersions)("%s gives the same prescription, without warnings", (version) => {
    expect(taken(shapes[version])).toEqual({
      envelope: {
        format: "script",
        version,
        from: "7731190",
        from_qualifier: "D",
        to: "9900025",
        to_qualifier: "P",
        message_id: "QS-104",
        relates_to_message_id: null,
        sent_time: "2026-11-09T14:05:00.000Z",
        prescriber_order_number: "QS-ORD-9",
        test_message: false,
        return_receipt: false,
      },
      content: { kind: "new", prescription: expected },
      warnings: [],
    });
  });

  test.each(scriptVersions)("a complete sample in %s reads back as it was written", (version) => {
    const silent: Content = { kind: "new", prescription: { ...prescription, prohibits_renewal: true } };
    for (const content of [newRx, silent, cancelRx, renewal, change]) {
      const message = { envelope: envelope(version), content, warnings: [] };
      expect(taken(writeScript(message.envelope, content, version))).toEqual(message);
    }
  });

  test("a social security number is never used as an id", () => {
    expect(JSON.stringify(taken(shapes["10.6"]))).not.toContain("900000001");
  });
});

describe("names of a version", () => {
  const head = /<Message[^>]*>/;
  const named = (attributes: string) => readScript(bytes(edit(sample, [head, `<Message ${attributes}>`])));
  test.each([
    ['TransactionVersion="20170715"', "2017071", []],
    ['version="2017071"', "2017071", []],
    ['version="010" release="006"', "10.6", []],
    ['version="10.6"', "10.6", []],
    ['version="2023011"', "2023011", []],
    ['TransactionVersion="20230115" ECLVersion="20240101"', "2023011", []],
    ['version="2022071"', "2023011", []],
    ['version="2024011"', "2023011", ["version_unknown"]],
    ['version="2019071"', "2017071", ["version_unknown"]],
    ['version="010" release="010"', "10.6", ["version_unknown"]],
    ['ECLVersion="20170715"', null, ["version_missing"]],
    ['version=""', null, ["version_missing"]],
  ])("%s is read as %s", (attributes, version, warnings) => {
    const read = named(attributes);
    expect(read).toMatchObject({ ok: true, message: { envelope: { version } } });
    expect(codesOf(read)).toEqual(warnings);
  });
  test.each([
    'version="008" release="001"',
    'version="D.0"',
    'version="4.2"',
    'version="2017071" TransactionDomain="TELECOM"',
  ])("%s is another standard: 021, and the answer reaches the sender", (attributes) => {
    const read = named(attributes);
    expect(refusalsOf(read)).toEqual(["021"]);
    expect(read).toMatchObject({ envelope: { message_id: "TF-0001", from: "6120042" } });
  });
});

const patientIn = (inner: string) => edit(sample, [/<Patient>.*<\/Patient>/s, `<Patient>${inner}</Patient>`]);
const asUtf16 = (text: string) => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le"));
const minimal = (body: string, header = "<To>9900017</To><From>612</From><MessageID>1</MessageID>") =>
  `<Message version="2017071"><Header>${header}</Header><Body>${body}</Body></Message>`;

/** For each rejection, messages that get it. */
const refused: Record<keyof typeof readerRefusals | "002", readonly (string | Uint8Array)[]> = {
  "002": [without("Pharmacy", without("To"))],
  "010": [without("Header")],
  "019": [
    `<a>${"x".repeat(1024 * 1024)}</a>`,
    "<a>".repeat(65) + "</a>".repeat(65),
    `<Message>${"<a/>".repeat(20_000)}</Message>`,
    minimal("<NewRx/><CancelRx/>"),
  ],
  "020": [
    "<Bundle/>",
    "<NewRx/>",
    "<html><body>Bad gateway</body></html>",
    "<string>no message</string>",
    "<string>&lt;a/&gt;</string>",
  ],
  "021": [edit(sample, [/<Message[^>]*>/, '<Message version="008" release="001">'])],
  "023": [
    `<!DOCTYPE Message>${sample.slice(sample.indexOf("<Message"))}`,
    '<!DOCTYPE a [<!ENTITY a "&b;&b;"><!ENTITY b "&c;&c;"><!ENTITY c "lol">]><Message>&a;</Message>',
    '<!doctype a [<!entity x SYSTEM "file:///etc/passwd">]><Message>&x;</Message>',
    '<?xml-stylesheet href="a.xsl"?><Message/>',
    "<string>&lt;!DOCTYPE Message&gt;&lt;Message/&gt;</string>",
  ],
  "024": [
    "",
    "MSH|^~\\&amp;|",
    "<Message>",
    "<Message></Massage>",
    "<Message>&nbsp;</Message>",
    "<Message a='1' a='2'/>",
    sample.slice(0, -20),
    asUtf16(sample),
    asUtf16(sample).slice(2),
    edit(sample, ["UTF-8", "UTF-16"]),
    edit(sample, ["UTF-8", "ISO-8859-1"]),
    new Uint8Array([...bytes("<Message>"), 0xff, ...bytes("</Message>")]),
  ],
  "025": [without("MessageID"), edit(sample, ["TF-0001", "T".repeat(256)])],
  "028": [without("From"), edit(sample, ["6120042", "6".repeat(256)])],
  "035": [
    minimal(""),
    minimal("<Status><Code>010</Code></Status>"),
    minimal("<Error><Code>900</Code></Error>"),
    minimal("<Verify/>"),
    minimal("<RxFill/>"),
    minimal("<RxRenewalRequest/>"),
    without("Body"),
  ],
  "054": [edit(sample, ["<NonVeterinarian>", "<Veterinarian>"], ["</NonVeterinarian>", "</Veterinarian>"])],
  "081": [without("LastName")],
  "135": [
    without("Quantity"),
    ...["", "-1", "thirty", "1e3", "NaN", "9".repeat(12), "1,000"].map((value) =>
      edit(sample, ["<Value>90</Value>", `<Value>${value}</Value>`]),
    ),
  ],
  "179": [
    edit(sample, [
      "</NewRx>",
      "<MedicationPrescribed><DrugDescription>B</DrugDescription></MedicationPrescribed></NewRx>",
    ]),
  ],
  "181": [edit(sample, ["</NewRx>", "<Patient><Name><LastName>B</LastName></Name></Patient></NewRx>"])],
  "182": [edit(sample, ["</NewRx>", "<Prescriber><Name><LastName>B</LastName></Name></Prescriber></NewRx>"])],
  "201": [
    minimal("<RxRenewalResponse/>"),
    minimal("<RxChangeResponse><Response><Maybe/></Response></RxChangeResponse>"),
    minimal("<RefillResponse><Response><Approved/><Denied/></Response></RefillResponse>"),
  ],
  "203": [
    without("Prescriber"),
    edit(sample, [/<Prescriber>.*<\/Prescriber>/s, "<Prescriber><Specialty>1</Specialty></Prescriber>"]),
  ],
  "204": [
    without("Patient"),
    patientIn("<HumanPatient/>"),
    patientIn("<NonHumanPatient><Name><LastName>Rex</LastName></Name><Species>Dog</Species></NonHumanPatient>"),
    minimal("<CancelRx><MedicationPrescribed><DrugDescription>A</DrugDescription></MedicationPrescribed></CancelRx>"),
  ],
  "206": [
    without("MedicationPrescribed"),
    without("DrugCoded", without("DrugDescription")),
    minimal("<RxRenewalResponse><Response><Replace/></Response></RxRenewalResponse>"),
    minimal("<CancelRx><Patient><Name><LastName>A</LastName></Name></Patient></CancelRx>"),
  ],
};

describe("a rejection", () => {
  const fixtures = Object.entries(refused).flatMap(([code, messages]) =>
    messages.map((message, index) => [code as DescriptionCode, index, message] as const),
  );
  test.each(fixtures)("%s, message %i", (code, _, message) => {
    const read = readScript(typeof message === "string" ? bytes(message) : message);
    expect(refusalsOf(read)).toContain(code);
  });

  test("has a single entry for a single problem, under the table's Error code", () => {
    for (const [code, messages] of Object.entries(refused)) {
      const [first] = messages as [string | Uint8Array];
      const read = readScript(typeof first === "string" ? bytes(first) : first);
      expect(read).toMatchObject({
        refusal: { code: intakeRefusals[code as DescriptionCode][0], description_code: code },
      });
      expect(refusalsOf(read)).toEqual([code]);
    }
  });

  test("reports all problems at once", () => {
    const read = readScript(bytes(minimal("<NewRx/>", "<MessageID>7</MessageID>")));
    expect(refusalsOf(read)).toEqual(["028", "002", "203", "204", "206"]);
    const bare = "<NewRx><MedicationPrescribed><DrugDescription>A</DrugDescription></MedicationPrescribed></NewRx>";
    expect(refusalsOf(readScript(bytes(minimal(bare))))).toEqual(["203", "204", "135"]);
  });

  test("keeps as much of the envelope as there is", () => {
    expect(readScript(bytes(without("Quantity")))).toMatchObject({ envelope: envelope("2017071") });
    expect(readScript(bytes("<Message/>"))).toMatchObject({ envelope: { message_id: null, from: null } });
    expect(readScript(bytes("not XML"))).toMatchObject({ envelope: null });
  });

  test("each sentence fits the standard's 70 characters", () => {
    for (const [, sentence] of Object.values(intakeRefusals)) expect(sentence.length).toBeLessThanOrEqual(70);
  });
});

const inMedication = (element: string) =>
  edit(sample, ["</MedicationPrescribed>", `${element}</MedicationPrescribed>`]);
const controlled = edit(sample, ["C38046", "C48675"]);

const weighing = (value: string, unit: string, date = "2026-11-01") =>
  edit(sample, [
    "</NewRx>",
    `<Observation><Measurement><VitalSign>29463-7</VitalSign><Value>${value}</Value><UnitOfMeasure>${unit}</UnitOfMeasure>` +
      `<ObservationDate><Date>${date}</Date></ObservationDate></Measurement></Observation></NewRx>`,
  ]);

/** For each warning of this reader, messages that get it and are still accepted. */
const doubted: Partial<Record<WarningCode, readonly string[]>> = {
  version_missing: [edit(sample, [/<Message[^>]*>/, "<Message>"])],
  version_unknown: [edit(sample, [/<Message[^>]*>/, '<Message version="2025011">'])],
  message_id_long: [edit(sample, ["TF-0001", "T".repeat(36)])],
  id_too_long: [edit(sample, ["ORD-5512", "O".repeat(256)]), edit(sample, ["MRN-20417", "M".repeat(256)])],
  receiver_from_pharmacy: [without("To")],
  sent_time_unreadable: [edit(sample, ["2026-11-10T17:20:00.000Z", "yesterday"])],
  wrapped_message: [
    `<string>${sample.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</string>`,
    `<string xmlns="urn:any"><![CDATA[${sample}]]></string>`,
    `<string>${sample.slice(sample.indexOf("<Message"))}</string>`,
  ],
  element_repeated: [inMedication("<DaysSupply>30</DaysSupply>")],
  dob_missing: [without("DateOfBirth")],
  dob_unreadable: ["1987-02-29", "28/02/1987", "0000-00-00"].map((dob) => edit(sample, ["1987-02-28", dob])),
  gender_unknown: [edit(sample, ["<Gender>F", "<Gender>X"])],
  first_name_missing: [edit(sample, ["<FirstName>Marisol</FirstName>", ""])],
  address_missing: [without("Address")],
  address_incomplete: [without("City"), without("AddressLine1"), without("StateProvince"), without("PostalCode")],
  zip_unreadable: [edit(sample, ["958142210", "9581"])],
  state_unreadable: [edit(sample, ["<StateProvince>CA", "<StateProvince>California"])],
  country_foreign: [edit(sample, ["<CountryCode>US", "<CountryCode>CA"])],
  phone_unreadable: [edit(sample, ["9165550142", "555-0142"])],
  email_unreadable: [edit(sample, ["marisol@okonkwo.example", "marisol at home"])],
  npi_missing: [without("NPI"), edit(sample, ["1234567893", "NONE"])],
  npi_checksum: [edit(sample, ["1234567893", "1234567890"])],
  dea_missing: [without("DEANumber", controlled)],
  dea_checksum: [edit(sample, ["FM1234563", "FM1234560"])],
  prescriber_phone_missing: [edit(sample, ["<PrimaryTelephone><Number>9165550160</Number></PrimaryTelephone>", ""])],
  drug_code_missing: [without("DrugCoded")],
  drug_description_missing: [without("DrugDescription")],
  compound: [
    inMedication("<CompoundInformation><CompoundDosageForm>C42994</CompoundDosageForm></CompoundInformation>"),
  ],
  ndc_unreadable: [edit(sample, ["70999010130", "7099901"])],
  ndc_ambiguous: [edit(sample, ["70999010130", "7099910130"])],
  schedule_unknown: [edit(sample, ["C38046", "C00000"])],
  schedule_one: [edit(sample, ["C38046", "C48672"])],
  signature_missing: [without("DigitalSignature", controlled), edit(controlled, ["Indicator>true", "Indicator>false"])],
  quantity_zero: [edit(sample, ["<Value>90", "<Value>0"])],
  quantity_rounded: [edit(sample, ["<Value>90", "<Value>0.33333"])],
  quantity_unit_unknown: [edit(sample, ["C48542", "C00000"])],
  days_supply_unreadable: ["0", "a month", "1000", "1.5"].map((days) =>
    edit(sample, ["<DaysSupply>90", `<DaysSupply>${days}`]),
  ),
  refills_missing: [without("NumberOfRefills")],
  refills_unreadable: ["three", "-1", "100", "1.5"].map((count) => edit(sample, ["Refills>3<", `Refills>${count}<`])),
  refills_prn: [edit(sample, ["Refills>3<", "Refills>prn<"])],
  substitution_unknown: [edit(sample, ["Substitutions>0<", "Substitutions>Y<"])],
  sig_missing: [without("Sig"), edit(sample, [/<SigText>.*<\/SigText>/, "<SigText> \n </SigText>"])],
  sig_long: [edit(sample, ["every evening.", "x".repeat(1000)])],
  do_not_fill: [inMedication("<DoNotFill>Y</DoNotFill>")],
  no_delivery: [inMedication("<DeliveryRequest>NO DELIVERY</DeliveryRequest>")],
  written_date_missing: [without("WrittenDate")],
  written_date_unreadable: [edit(sample, ["2026-11-10</Date></WrittenDate>", "2026-13-10</Date></WrittenDate>"])],
  date_unreadable: [edit(sample, ["2026-11-12", "soon"]), edit(sample, ["2027-11-10", "later"])],
  allergy_unreadable: [
    edit(sample, [
      "</AllergyOrAdverseEvent>",
      "<Allergies><SourceOfInformation>P</SourceOfInformation></Allergies></AllergyOrAdverseEvent>",
    ]),
  ],
  weight_unreadable: [weighing("-70", "kg"), weighing("7000", "kg"), weighing("0", "kg"), weighing("70", "stone")],
};

describe("a warning", () => {
  const fixtures = Object.entries(doubted).flatMap(([code, messages]) =>
    messages.map((message, index) => [code as WarningCode, index, message] as const),
  );
  test.each(fixtures)("%s, message %i, is the only one, and the message is accepted", (code, _, message) => {
    const { warnings } = taken(message);
    expect(warnings.map((warning) => warning.code)).toEqual([code]);
  });

  test("has a fixture for every one that the reader can give", () => {
    const folder = new URL("../../../src/formats/script/", import.meta.url);
    const sources = readdirSync(folder).filter((name) => name !== "explain.ts");
    const words = sources.flatMap(
      (name) => readFileSync(new URL(name, folder), "utf8").match(/(?<=")[a-z_]+(?=")/g) ?? [],
    );
    const given = Object.keys(intakeWarnings).filter((code) => words.includes(code));
    expect(given.filter((code) => !(code in doubted))).toEqual([]);
    expect(Object.keys(doubted).filter((code) => !given.includes(code))).toEqual([]);
  });

  test("gives the location by element names, and none of the content", () => {
    const message = taken(edit(sample, ["1234567893", "1234567890"], ["C48542", "C00000"]));
    expect(message.warnings).toEqual([
      { code: "npi_checksum", path: "Message/Body/NewRx/Prescriber/NonVeterinarian/Identification/NPI" },
      {
        code: "quantity_unit_unknown",
        path: "Message/Body/NewRx/MedicationPrescribed/Quantity/QuantityUnitOfMeasure/Code",
      },
    ]);
  });
});

describe("lenient input", () => {
  test("a doubtful value is kept if a person can use it", () => {
    expect(prescriptionOf(edit(sample, ["<Value>90", "<Value>0"])).quantity).toEqual({ value: 0, unit: "tablet" });
    expect(prescriptionOf(edit(sample, ["1234567893", "1234567890"])).prescriber?.npi).toBe("1234567890");
    expect(prescriptionOf(edit(sample, ["958142210", "9581"])).patient?.address?.zip).toBe("9581");
    expect(prescriptionOf(edit(sample, ["Refills>3<", "Refills>PRN<"])).refills).toBe("prn");
    expect(prescriptionOf(edit(sample, ["C38046", "C48672"])).drug.schedule).toBe("2");
    expect(prescriptionOf(without("DrugDescription")).drug.description).toBe("NDC 70999010130");
    expect(prescriptionOf(edit(sample, ["every evening.", "x".repeat(3000)])).sig_text).toContain("x".repeat(3000));
  });

  test.each([
    ["0", false],
    ["1", true],
    ["2", false],
    ["7", true],
    ["8", false],
  ])("substitution code %s: as written = %s", (code, daw) => {
    expect(prescriptionOf(sample.replace("Substitutions>0<", `Substitutions>${code}<`)).daw).toBe(daw);
  });

  test("brand medically necessary forbids substitution, regardless of the code", () => {
    const reason = "<ReasonForSubstitutionCodeUsed>BRAND MEDICALLY NECESSARY</ReasonForSubstitutionCodeUsed>";
    expect(prescriptionOf(inMedication(reason)).daw).toBe(true);
  });

  test("a signature is proven by its indicator, its value or the code SI, and by nothing less", () => {
    const signed = (signature: string) =>
      prescriptionOf(edit(sample, [/<DigitalSignature .*<\/DigitalSignature>/, signature])).signature_evidence;
    const inside = (parts: string) => signed(`<DigitalSignature>${parts}</DigitalSignature>`);
    expect(inside("<DigitalSignatureIndicator>1</DigitalSignatureIndicator>")).toBe(true);
    expect(inside("<DigestValue>a</DigestValue><SignatureValue>b</SignatureValue>")).toBe(true);
    expect(inside("<DigestValue>a</DigestValue>")).toBe(false);
    expect(inside("<DigitalSignatureIndicator>false</DigitalSignatureIndicator>")).toBe(false);
    expect(inside("<DigitalSignatureIndicator>pending</DigitalSignatureIndicator>")).toBe(false);
    expect(signed("<DigitalSignature/>")).toBe(false);
    const marked = inMedication(
      "<DrugCoverageStatusCode>PR</DrugCoverageStatusCode><DrugCoverageStatusCode>SI</DrugCoverageStatusCode>",
    );
    expect(prescriptionOf(without("DigitalSignature", marked)).signature_evidence).toBe(true);
  });

  test("allergies: no mention does not mean none, and a named one overrides a statement that there is none", () => {
    const section = (inner: string) =>
      prescriptionOf(edit(sample, [/<AllergyOrAdverseEvent>.*<\/AllergyOrAdverseEvent>/s, inner])).allergies;
    const event = (inner: string) => section(`<AllergyOrAdverseEvent>${inner}</AllergyOrAdverseEvent>`);
    expect(section("")).toBe("unknown");
    expect(event("")).toBe("unknown");
    expect(event("<NoKnownAllergies>N</NoKnownAllergies>")).toBe("unknown");
    expect(event("<NoKnownAllergies>not asked</NoKnownAllergies>")).toBe("unknown");
    expect(event("<NoKnownAllergies>Y</NoKnownAllergies>")).toBe("none");
    const named = "<Allergies><DrugProductCoded><Text>Latex</Text></DrugProductCoded></Allergies>";
    expect(event(`<NoKnownAllergies>Y</NoKnownAllergies>${named}`)).toMatchObject([{ text: "Latex" }]);
    expect(
      event(
        "<NoKnownAllergies>Y</NoKnownAllergies><Allergies><EffectiveDate><Date>2020-01-01</Date></EffectiveDate></Allergies>",
      ),
    ).toBe("unknown");
  });

  test("the newest body weight, in kilograms", () => {
    const weight = (message: string) => prescriptionOf(message).patient?.weight_kg;
    expect(weight(sample)).toBeUndefined();
    expect(weight(weighing("70.5", "kg"))).toBe(70.5);
    expect(weight(weighing("154", "[lb_av]"))).toBe(69.853);
    expect(weight(weighing("3200", "g"))).toBe(3.2);
    const later = weighing("71", "kg", "2026-11-09").replace(/.*(<Observation>.*<\/Observation>).*/s, "$1");
    expect(weight(edit(weighing("70", "kg"), ["</NewRx>", `${later}</NewRx>`]))).toBe(71);
    expect(weight(weighing("70", "kg").replace("29463-7", "8302-2"))).toBeUndefined();
  });

  test("a return receipt, a test message and a mailbox address", () => {
    const asked = edit(
      sample,
      ["<NewRx>", "<NewRx><ReturnReceipt>Y</ReturnReceipt>"],
      ["<PrescriberOrderNumber>", "<TestMessage>1</TestMessage><PrescriberOrderNumber>"],
    );
    expect(taken(asked).envelope).toMatchObject({ return_receipt: true, test_message: true });
    expect(taken(edit(sample, [">9900017<", ">mailto:9900017.ncpdp@network.example<"])).envelope.to).toBe("9900017");
  });
});

describe("responses and cancellations", () => {
  test.each([
    ["Approved", "approved"],
    ["ApprovedWithChanges", "approved_with_changes"],
    ["Validated", "validated"],
    ["Denied", "denied"],
    ["DeniedNewPrescriptionToFollow", "denied_new_prescription_to_follow"],
    ["Pending", "pending"],
  ])("an empty %s is an answer", (name, response) => {
    expect(taken(minimal(`<RxChangeResponse><Response><${name}/></Response></RxChangeResponse>`)).content).toEqual({
      kind: "change",
      response,
      reason_codes: [],
      note: null,
      prescription: null,
    });
  });

  test("an approval may omit prescriber and patient; a denial carries no prescription, even with one attached", () => {
    const medication =
      "<MedicationResponse><DrugDescription>Sertraline 50 mg tablet</DrugDescription></MedicationResponse>";
    const answered = (name: string) =>
      taken(minimal(`<RxRenewalResponse><Response><${name}/></Response>${medication}</RxRenewalResponse>`)).content;
    expect(answered("Approved")).toMatchObject({
      prescription: { patient: null, prescriber: null, quantity: null, sig_text: null, refills: null },
    });
    expect(answered("Denied")).toMatchObject({ prescription: null });
  });

  test("a cancellation needs only the message or the order it refers to", () => {
    for (const name of ["RelatesToMessageID", "PrescriberOrderNumber"]) {
      const header = `<To>9900017</To><From>612</From><MessageID>1</MessageID><${name}>TF-0001</${name}>`;
      expect(taken(minimal("<CancelRx/>", header)).content).toMatchObject({
        kind: "cancel",
        discontinue: false,
        target: { patient: null, drug_codes: [] },
      });
    }
  });

  test("the prescription in it is the original one", () => {
    expect(prescriptionOf(writeScript(envelope("10.6"), renewal, "10.6"))).toEqual(prescription);
  });
});
