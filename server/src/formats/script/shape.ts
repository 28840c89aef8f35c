import type { Envelope } from "../../domain/intake/incoming-message.ts";
import { document, element, type Markup } from "./markup.ts";
import { type ScriptVersion, scriptVersions } from "./version.ts";

/** How the versions differ in what we write (the reader needs no such table: it takes all of them at once). */
export interface Shape {
  message: Record<string, string>;
  human: string | null;
  prescriber: string | null;
  names: string | null;
  gender: readonly string[];
  state: string;
  zip: string;
  practice: readonly string[];
  product: string | null;
  renewal: string;
  denial_code: string;
  /** 10.6 has an element for a code and one for its qualifier, a text for the sig, and its own refills. */
  flat: boolean;
}

const dated = (version: string) => ({
  DatatypesVersion: version,
  TransportVersion: version,
  TransactionDomain: "SCRIPT",
  TransactionVersion: version,
  StructuresVersion: version,
  ECLVersion: version,
});

const modern: Shape = {
  // The wire's number of 2017071 has a digit more than its name.
  message: dated("20170715"),
  human: "HumanPatient",
  prescriber: "NonVeterinarian",
  names: null,
  gender: ["Gender"],
  state: "StateProvince",
  zip: "PostalCode",
  practice: ["PracticeLocation", "BusinessName"],
  product: null,
  renewal: "RxRenewalResponse",
  denial_code: "ReasonCode",
  flat: false,
};

export const shapes: Record<ScriptVersion, Shape> = {
  "10.6": {
    ...modern,
    message: { xmlns: "http://www.ncpdp.org/schema/SCRIPT", version: "010", release: "006" },
    human: null,
    prescriber: null,
    state: "State",
    zip: "ZipCode",
    practice: ["ClinicName"],
    renewal: "RefillResponse",
    denial_code: "DenialReasonCode",
    flat: true,
  },
  "2017071": modern,
  "2023011": {
    ...modern,
    message: dated("2023011"),
    names: "Names",
    gender: ["GenderAndSex", "AdministrativeGender"],
    product: "Product",
  },
};

/** The version to write in: the sender's, or the one that is live where the sender did not say. */
export function versionToWrite(version: string | null): ScriptVersion {
  return scriptVersions.find((known) => known === version) ?? "2017071";
}

/** What a header says beside who sends what to whom. */
export interface Header {
  to: Party;
  from: Party;
  message_id: string;
  relates_to_message_id: string | null;
  sent_time: string | null;
  more?: readonly (Markup | null)[];
}
type Party = { id: string | null; qualifier: string | null };

export function writeMessage(version: ScriptVersion, header: Header, body: Markup): string {
  const { message } = shapes[version];
  return document(element("Message", [writeHeader(version, header), element("Body", [body])], message));
}

function writeHeader(version: ScriptVersion, header: Header): Markup | null {
  const party = (name: string, { id, qualifier }: Party) => element(name, id, { Qualifier: qualifier });
  return element("Header", [
    party("To", header.to),
    party("From", header.from),
    element("MessageID", header.message_id),
    element("RelatesToMessageID", header.relates_to_message_id),
    element("SentTime", header.sent_time),
    shapes[version].flat ? null : SOFTWARE,
    ...(header.more ?? []),
  ]);
}

const SOFTWARE = element("SenderSoftware", [
  element("SenderSoftwareDeveloper", "Pestle"),
  element("SenderSoftwareProduct", "Pestle"),
  element("SenderSoftwareVersionRelease", "1"),
]);

/** A name for the id of nobody: an unreadable message is answered to whoever sent it. */
const UNKNOWN = "UNKNOWN";

/** The way back. */
export function partiesOfReply(envelope: Envelope | null): Pick<Header, "to" | "from" | "relates_to_message_id"> {
  return {
    to: { id: envelope?.from ?? UNKNOWN, qualifier: envelope?.from_qualifier ?? "D" },
    from: { id: envelope?.to ?? UNKNOWN, qualifier: envelope?.to_qualifier ?? "P" },
    relates_to_message_id: envelope?.message_id ?? null,
  };
}
