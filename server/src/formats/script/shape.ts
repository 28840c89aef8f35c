import type { Envelope } from "../../domain/intake/incoming-message.ts";
import { document, element, type Markup } from "./markup.ts";
import { type ScriptVersion, scriptVersions } from "./version.ts";

/** Differences between the versions we write. The reader needs no such table: it accepts all of them. */
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
  /** 10.6: separate elements for a code and its qualifier, a plain text sig, and its own refills element. */
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
  // On the wire, 2017071 has one more digit than its name.
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

/** The sender's version, or the current one if unknown. */
export function versionToWrite(version: string | null): ScriptVersion {
  return scriptVersions.find((known) => known === version) ?? "2017071";
}

/** The content of a message header. */
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

/** Replaces an unknown id: we still reply to an unreadable message. */
const UNKNOWN = "UNKNOWN";

/** Swaps sender and receiver for the reply. */
export function partiesOfReply(envelope: Envelope | null): Pick<Header, "to" | "from" | "relates_to_message_id"> {
  return {
    to: { id: envelope?.from ?? UNKNOWN, qualifier: envelope?.from_qualifier ?? "D" },
    from: { id: envelope?.to ?? UNKNOWN, qualifier: envelope?.to_qualifier ?? "P" },
    relates_to_message_id: envelope?.message_id ?? null,
  };
}
