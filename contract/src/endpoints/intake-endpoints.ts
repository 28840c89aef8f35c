import { array, integer, named, object, oneOf, string } from "../schema.ts";
import { answer, body, type Endpoint } from "./endpoint.ts";

const newRx = `<Message TransactionDomain="SCRIPT" TransactionVersion="20170715">
  <Header>
    <To Qualifier="P">9900017</To>
    <From Qualifier="D">7204410099002</From>
    <MessageID>example-1</MessageID>
    <SentTime>2026-11-14T17:20:00Z</SentTime>
  </Header>
  <Body>
    <NewRx>
      <Patient>
        <HumanPatient>
          <Name><LastName>Quill</LastName><FirstName>Rosa</FirstName></Name>
          <Gender>F</Gender>
          <DateOfBirth><Date>1984-06-02</Date></DateOfBirth>
          <Address>
            <AddressLine1>2210 Mission St</AddressLine1><City>San Francisco</City>
            <StateProvince>CA</StateProvince><PostalCode>94110</PostalCode>
          </Address>
        </HumanPatient>
      </Patient>
      <Prescriber>
        <NonVeterinarian>
          <Identification><NPI>1234567893</NPI></Identification>
          <Name><LastName>Lindqvist</LastName><FirstName>Ada</FirstName></Name>
          <CommunicationNumbers><PrimaryTelephone><Number>4155550177</Number></PrimaryTelephone></CommunicationNumbers>
        </NonVeterinarian>
      </Prescriber>
      <MedicationPrescribed>
        <DrugDescription>Atorvastatin 20 mg tablet</DrugDescription>
        <DrugCoded><ProductCode><Code>70999010130</Code><Qualifier>ND</Qualifier></ProductCode></DrugCoded>
        <Quantity><Value>90</Value><QuantityUnitOfMeasure><Code>C48542</Code></QuantityUnitOfMeasure></Quantity>
        <DaysSupply>90</DaysSupply>
        <WrittenDate><Date>2026-11-14</Date></WrittenDate>
        <Substitutions>0</Substitutions>
        <NumberOfRefills>3</NumberOfRefills>
        <Sig><SigText>Take one tablet by mouth daily.</SigText></Sig>
      </MedicationPrescribed>
    </NewRx>
  </Body>
</Message>`;

const status = `<Message TransactionDomain="SCRIPT" TransactionVersion="20170715">
  <Header>
    <To Qualifier="D">7204410099002</To>
    <From Qualifier="P">9900017</From>
    <MessageID>0b7f5c1e6a3d4f529d0e3c8a1b2d4e5f</MessageID>
    <RelatesToMessageID>example-1</RelatesToMessageID>
    <SentTime>2026-11-14T17:20:01Z</SentTime>
  </Header>
  <Body><Status><Code>010</Code></Status></Body>
</Message>`;

const medicationRequest = {
  resourceType: "MedicationRequest",
  identifier: [{ system: "https://prescriber.example/prescriptions", value: "example-1" }],
  status: "active",
  intent: "order",
  contained: [
    {
      resourceType: "Patient",
      id: "patient",
      name: [{ family: "Quill", given: ["Rosa"] }],
      gender: "female",
      birthDate: "1984-06-02",
      address: [{ line: ["2210 Mission St"], city: "San Francisco", state: "CA", postalCode: "94110" }],
    },
    {
      resourceType: "Practitioner",
      id: "prescriber",
      identifier: [{ system: "http://hl7.org/fhir/sid/us-npi", value: "1234567893" }],
      name: [{ family: "Lindqvist", given: ["Ada"] }],
      telecom: [{ system: "phone", value: "4155550177" }],
    },
  ],
  subject: { reference: "#patient" },
  requester: { reference: "#prescriber" },
  authoredOn: "2026-11-14",
  medicationCodeableConcept: {
    coding: [{ system: "http://hl7.org/fhir/sid/ndc", code: "70999010130" }],
    text: "Atorvastatin 20 mg tablet",
  },
  dosageInstruction: [{ text: "Take one tablet by mouth daily." }],
  dispenseRequest: {
    quantity: { value: 90, unit: "tablet" },
    expectedSupplyDuration: { value: 90, unit: "d" },
    numberOfRepeatsAllowed: 3,
  },
};

const FhirMessage = named(
  "FhirMessage",
  object({ resourceType: oneOf(["Bundle", "MedicationRequest"]) }, { additionalProperties: true }),
);

const OperationOutcome = named(
  "OperationOutcome",
  object(
    {
      resourceType: oneOf(["OperationOutcome"]),
      extension: array(
        object(
          { url: string(), valueString: string(), valueInteger: integer() },
          {
            optional: ["valueString", "valueInteger"],
          },
        ),
        "Our IDs of the records created from the message.",
      ),
      issue: array(
        object(
          {
            severity: oneOf(["error", "warning", "information"], "`information`: the pharmacy accepted the message."),
            code: string("The kind of issue, as a FHIR code."),
            details: object({
              coding: array(object({ system: string(), code: string() }), "The name of the rejection or warning."),
              text: string("The same as a sentence."),
            }),
            expression: array(string(), "The location of the problem in the message."),
          },
          { optional: ["expression"] },
        ),
        "The records created from the message, or why the pharmacy rejected it, and any warnings.",
      ),
    },
    { optional: ["extension"] },
  ),
);

const rest = { method: "POST", server: "intake", tags: ["Intake"], auth: "bearer:intake" } as const;

export const intakeEndpoints = [
  {
    ...rest,
    operation_id: "receiveScript",
    path: "/intake/script",
    summary: "Deliver an NCPDP SCRIPT message",
    description:
      "NewRx, CancelRx, RxRenewalResponse and RxChangeResponse in the formats of 10.6, 2017071 and 2023011. The service answers a readable message with 200 and a SCRIPT message (Status, Error, Verify or CancelRxResponse). A repeated message gets the same answer and changes nothing.",
    body: body("application/xml", string("A SCRIPT message, UTF-8."), newRx),
    responses: {
      200: { ...answer("A SCRIPT message.", string("A SCRIPT message."), status), content_type: "application/xml" },
    },
    codes: [40002, 40003, 40004],
  },
  {
    ...rest,
    operation_id: "receiveFhir",
    path: "/intake/fhir",
    summary: "Deliver a FHIR R4 prescription",
    description:
      "A Bundle (collection, transaction, message or batch) with one MedicationRequest, or the MedicationRequest alone. The service answers a readable message with 200 and an OperationOutcome. A repeated message gets the same answer and changes nothing.",
    query: { ncpdp_id: string("The receiver, if the message does not name one.") },
    body: body("application/fhir+json", FhirMessage, medicationRequest as { resourceType: "MedicationRequest" }),
    responses: {
      200: {
        ...answer("An OperationOutcome.", OperationOutcome, {
          resourceType: "OperationOutcome",
          extension: [{ url: "urn:pestle:intake:prescription_id", valueInteger: 183601 }],
          issue: [
            {
              severity: "information",
              code: "informational",
              details: {
                coding: [{ system: "urn:pestle:intake", code: "received" }],
                text: "The prescription was received.",
              },
            },
          ],
        }),
        content_type: "application/fhir+json",
      },
    },
    codes: [40002, 40003, 40004],
  },
] as const satisfies readonly Endpoint[];
