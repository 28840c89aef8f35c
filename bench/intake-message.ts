import type { IncomingPrescription } from "../server/src/domain/intake/incoming-message.ts";
import { writeScript } from "../server/src/formats/script/write.ts";
import { envelope, prescription } from "../server/test/support/samples/script-samples.ts";

/** A placeholder of seven characters for a seven-digit number, in a text that is sent or read. */
export const NUMBER_MARK = "@NUMBER";
export const SENDER = envelope("2017071").from!;

/** A prescription of today for the patient with that number (or with the placeholder), without warnings. */
export function prescriptionFor(patient: string): IncomingPrescription {
  const today = new Date().toISOString().slice(0, 10);
  return {
    ...prescription,
    patient: {
      ...prescription.patient,
      ids: [
        { kind: "medical_record", value: `MRN-${patient}` },
        { kind: "account", value: `AC-${patient}` },
      ],
      last_name: `Okonkwo-${patient}`,
      phone: `916${patient}`,
      email: `marisol.${patient}@okonkwo.example`,
    },
    written_date: today,
    effective_date: today,
    expiration_date: null,
  };
}

/** A NewRx of realistic size: the fields that our reader uses, and as many that it skips. */
export function scriptMessage(number: string, patient: string, to: string): string {
  const about = { ...envelope("2017071"), to, message_id: `B-${number}`, prescriber_order_number: `O-${number}` };
  const written = writeScript(about, { kind: "new", prescription: prescriptionFor(patient) }, "2017071");
  return written
    .replace("<Patient>", `${BENEFITS}<Patient>`)
    .replace("</SigText>", `</SigText>${STRUCTURED_SIG}`)
    .replace(/<Pharmacy>.*<\/Pharmacy>/, (pharmacy) => pharmacy.replace("</Pharmacy>", `${PHARMACY}</Pharmacy>`));
}

const BENEFITS = `<BenefitsCoordination><PayerIdentification><ProcessorIdentificationNumber>HZPCN</ProcessorIdentificationNumber><IINNumber>990017</IINNumber><PayerID>HORIZON-77</PayerID></PayerIdentification><CardholderID>HZ5550142-01</CardholderID><CardHolderName><LastName>Okonkwo-Reyes</LastName><FirstName>Marisol</FirstName></CardHolderName><GroupID>TULE-4410</GroupID><GroupName>Tule Fog Growers</GroupName><PayerName>Horizon Mutual</PayerName><PatientRelationship>1</PatientRelationship><PBMMemberID>HZ5550142</PBMMemberID></BenefitsCoordination>`;

const STRUCTURED_SIG = `<CodeSystem><SNOMEDVersion>20170131</SNOMEDVersion><FMTVersion>16.03d</FMTVersion></CodeSystem><Instruction><DoseAdministration><DoseDeliveryMethod><Text>Take</Text><Qualifier>SNOMED</Qualifier><Code>419652001</Code></DoseDeliveryMethod><Dosage><DoseQuantity>1</DoseQuantity><DoseUnitOfMeasure><Text>tablet</Text><Qualifier>DoseUnitOfMeasure</Qualifier><Code>C48542</Code></DoseUnitOfMeasure></Dosage><RouteOfAdministration><Text>oral route</Text><Qualifier>SNOMED</Qualifier><Code>26643006</Code></RouteOfAdministration></DoseAdministration><TimingAndDuration><AdministrationTiming><AdministrationTimingEvent><Text>every evening</Text><Qualifier>SNOMED</Qualifier><Code>422133006</Code></AdministrationTimingEvent></AdministrationTiming></TimingAndDuration></Instruction>`;

const PHARMACY = `<BusinessName>Larkspur Pharmacy</BusinessName><Address><AddressLine1>77 Kiln Street</AddressLine1><City>Columbus</City><StateProvince>OH</StateProvince><PostalCode>43215</PostalCode><CountryCode>US</CountryCode></Address><CommunicationNumbers><PrimaryTelephone><Number>6145550110</Number></PrimaryTelephone><Fax><Number>6145550111</Number></Fax></CommunicationNumbers>`;
