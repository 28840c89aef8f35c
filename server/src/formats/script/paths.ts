/**
 * The paths of each field in every form senders use: 2017071 first, then 2023011, 10.6 and common deviations. A step
 * `@Name` is an attribute. Nothing else in the reader depends on the version, so a message can mix them.
 */
export type Paths = readonly Path[];
export interface Path {
  readonly steps: readonly string[];
  readonly attribute: string | null;
}

function paths(...alternatives: string[]): Paths {
  return alternatives.map((path) => {
    const steps = path.split("/");
    const last = steps.at(-1) as string;
    return last.startsWith("@") ? { steps: steps.slice(0, -1), attribute: last.slice(1) } : { steps, attribute: null };
  });
}

/** A coded value: `<X><Code>…`, `<X Code="…">` or bare. */
const coded = (path: string) => [`${path}/Code`, `${path}/@Code`, path];
/** A date: wrapped in Date or DateTime, or bare. */
const dated = (path: string) => [`${path}/Date`, `${path}/DateTime`, path];
/** 2023011 puts the drug's fields under Product. */
const ofProduct = (...alternatives: string[]) => [...alternatives, ...alternatives.map((path) => `Product/${path}`)];

/** Under Header. */
export const header = {
  message_id: paths("MessageID"),
  relates_to_message_id: paths("RelatesToMessageID"),
  sent_time: paths("SentTime"),
  prescriber_order_number: paths("PrescriberOrderNumber"),
  test_message: paths("TestMessage"),
  rx_reference_number: paths("RxReferenceNumber"),
  signature_indicator: paths(
    "DigitalSignature/DigitalSignatureIndicator",
    "DigitalSignature/@DigitalSignatureIndicator",
  ),
  signature_digest: paths("DigitalSignature/DigestValue"),
  signature_value: paths("DigitalSignature/SignatureValue"),
  order_group_number: paths("PrescriberOrderGroup/OrderGroupNumber"),
  order_group_item: paths("PrescriberOrderGroup/ItemCountInOrderGroup"),
  order_group_total: paths("PrescriberOrderGroup/TotalCountForOrderGroup"),
};

/** Under To and From, which some senders fill with elements instead of text. */
export const party = {
  qualifier: paths("@Qualifier", "Qualifier"),
  id: ["NCPDPID", "Identifier", "Identification", "ID", "Value", "Code", "NPI"],
};

/** Under NewRx and the other transactions. */
export const transaction = {
  return_receipt: paths("ReturnReceipt"),
  pharmacy_id: paths("Pharmacy/Identification/NCPDPID", "Pharmacy/NCPDPID"),
  status_flag: paths("ChangeOfPrescriptionStatusFlag"),
  request_code: paths("MessageRequestCode"),
  change_reason: paths("ChangeReasonText"),
  prohibits_renewal: paths("ProhibitRenewalRequest"),
};

const named = (part: string) => paths(`Name/${part}`, `Names/Name/${part}`);

/** Under Patient, or under HumanPatient if present. */
export const patient = {
  last_name: named("LastName"),
  first_name: named("FirstName"),
  middle_name: named("MiddleName"),
  suffix: named("Suffix"),
  dob: paths(...dated("DateOfBirth")),
  gender: paths(...coded("Gender"), ...coded("GenderAndSex/AdministrativeGender"), ...coded("AdministrativeGender")),
};

/** The patient's ids in order of preference. Excludes Social Security, Medicare and Medicaid numbers: we do not identify patients by them. */
export const patientIds = [
  [
    "medical_record",
    paths("Identification/MedicalRecordIdentificationNumberEHR", "Identification/MedicalRecordIdentificationNumber"),
  ],
  ["account", paths("Identification/PatientAccountNumber")],
  ["mutually_defined", paths("Identification/MutuallyDefined")],
  ["other", paths("Identification/PatientID", "Identification/FileID", "Identification/REMSPatientID")],
] as const;

/** Under Prescriber, or under NonVeterinarian if present. */
export const prescriber = {
  last_name: named("LastName"),
  first_name: named("FirstName"),
  practice: paths("PracticeLocation/BusinessName", "PracticeLocation/Name", "BusinessName", "ClinicName"),
  npi: paths("Identification/NPI"),
  dea: paths("Identification/DEANumber", "Identification/DEA"),
  state_license: paths("Identification/StateLicenseNumber"),
};

/** Under Address. */
export const address = {
  street1: paths("AddressLine1"),
  street2: paths("AddressLine2"),
  city: paths("City"),
  state: paths("StateProvince", "State"),
  zip: paths("PostalCode", "ZipCode"),
  country: paths("CountryCode", "Country"),
};

/** Under CommunicationNumbers: elements of 2017071 and qualifiers of 10.6's `Communication`, in order of preference. */
export const contact = {
  phone: {
    elements: ["PrimaryTelephone", "HomeTelephone", "OtherTelephone", "WorkTelephone"],
    qualifiers: ["TE", "HP", "CP", "NP", "WP"],
  },
  fax: { elements: ["Fax"], qualifiers: ["FX"] },
  email: { elements: ["ElectronicMail"], qualifiers: ["EM"] },
} as const;

/** Under MedicationPrescribed or MedicationResponse. */
export const medication = {
  description: paths(...ofProduct("DrugDescription", "DrugCoded/DrugDescription")),
  strength: paths(...ofProduct("DrugCoded/Strength/StrengthValue", "Strength/StrengthValue", "DrugCoded/Strength")),
  strength_unit: paths(
    ...ofProduct(
      ...coded("DrugCoded/Strength/StrengthUnitOfMeasure"),
      ...coded("Strength/StrengthUnitOfMeasure"),
      "DrugCoded/StrengthCode",
    ),
  ),
  schedule: paths(...ofProduct(...coded("DrugCoded/DEASchedule"), ...coded("DEASchedule"))),
  quantity: paths("Quantity/Value", "Quantity/@Value", "Quantity"),
  quantity_unit: paths(...coded("Quantity/QuantityUnitOfMeasure"), "Quantity/PotencyUnitCode"),
  days_supply: paths("DaysSupply", "DaysSupply/Value"),
  refills: paths("NumberOfRefills", "NumberOfRefills/Value", "Refills/Value", "Refills/Quantity", "Refills"),
  refills_qualifier: paths("Refills/Qualifier", "Refills/@Qualifier"),
  substitutions: paths(...coded("Substitutions"), ...coded("Substitutions/Substitutions")),
  substitution_reason: paths("ReasonForSubstitutionCodeUsed"),
  sig_text: paths(
    "Sig/SigText",
    "SigText",
    "Sig",
    "Directions",
    "StructuredSIG/FreeText/SigFreeText",
    "StructuredSIG/FreeText",
  ),
  note: paths("Note"),
  written_date: paths(...dated("WrittenDate")),
  last_fill_date: paths(...dated("LastFillDate")),
  service_reason: paths("DrugUseEvaluation/ServiceReasonCode"),
  requested_refills: paths("PharmacyRequestedRefills"),
  effective_date: paths(...dated("EffectiveDate")),
  expiration_date: paths(...dated("ExpirationDate")),
  prior_authorization: paths(
    "PriorAuthorization",
    "PriorAuthorization/Value",
    "PriorAuthorization/PriorAuthorizationNumber",
  ),
  fill_indicator: paths("RxFillIndicator"),
  do_not_fill: paths("DoNotFill"),
  delivery_request: paths("DeliveryRequest"),
};

/** Under OtherMedicationDate, which is nested in itself in 2017071. */
export const otherDate = {
  qualifier: paths("OtherMedicationDateQualifier", "OtherMedicationDateQualifier/Code", "Qualifier"),
  date: paths(...dated("OtherMedicationDate"), "Date", "DateTime"),
};

/** Under a coded drug (ProductCode, DrugDBCode, DrugProductCoded) and under a diagnosis. */
export const code = {
  value: paths("Code", "@Code", "Value"),
  qualifier: paths("Qualifier", "@Qualifier"),
  text: paths("Text", "Description"),
};

/** Under Allergies. */
export const allergy = {
  text: paths("DrugProductCoded/Text", "AdverseEvent/Text", "DrugProductCoded"),
  reaction: paths("ReactionCoded/Text", ...coded("ReactionCoded")),
  severity: paths("SeverityCoded/Text", ...coded("SeverityCoded")),
};

/** Under Observation/Measurement. */
export const measurement = {
  code: paths(...coded("VitalSign"), ...coded("Dimension")),
  value: paths("Value"),
  unit: paths(...coded("UnitOfMeasure"), ...coded("MeasurementUnitCode")),
  date: paths(...dated("ObservationDate")),
};

/** Under the Response's child (Approved, Denied, …). */
export const response = {
  note: paths("Note", "DenialReason"),
  reasons: ["ReasonCode", "DenialReasonCode"],
} as const;

/** Under Pharmacy. */
export const pharmacy = {
  ncpdp_id: paths("Identification/NCPDPID"),
  npi: paths("Identification/NPI"),
  name: paths("BusinessName", "StoreName"),
};

/** Under Status and Error. */
export const networkAnswer = {
  code: paths("Code"),
  description_code: paths("DescriptionCode"),
};
