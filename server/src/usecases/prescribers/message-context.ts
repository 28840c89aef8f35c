import { detailsPlace } from "../../db/patients/patients.ts";
import { loadMessageFacts } from "../../db/prescribers/due-messages.ts";
import type { Deps } from "../../deps.ts";
import type { IncomingAddress } from "../../domain/intake/incoming-message.ts";
import type { MessageContext } from "../../domain/prescribers/compose-message.ts";
import type { SendingPharmacy } from "../../domain/prescribers/pharmacy-message.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readPrescription } from "../intake/written.ts";
import { openRecord } from "../patients/patient-rows.ts";

/** What a message to the prescriber of a prescription says, and the ids of the message that brought the prescription. */
export type OpenedContext = MessageContext & {
  sender_message_id: string;
  prescriber_order_number: string | null;
};

type ContextDeps = Pick<Deps, "db" | "vault" | "config">;

/** Undefined if the prescription no longer exists. */
export const openMessageContext = (
  deps: ContextDeps,
  account_id: string,
  prescription_id: number,
): Promise<OpenedContext | undefined> =>
  withKeysOfNow(deps, async () => {
    const prescription = await readPrescription(deps, account_id, prescription_id);
    const facts = await loadMessageFacts(deps.db, account_id, prescription_id);
    if (prescription === undefined || facts === undefined) return undefined;
    const { last_fill, sender_message_id, prescriber_order_number } = facts;
    return {
      pharmacy: pharmacyOf(deps, facts.ncpdp_id),
      record: openRecord(deps, account_id, facts.patient_key, facts.record_sealed),
      address: addressOf(deps, account_id, prescription_id, facts.details_sealed),
      prescription,
      last_fill: last_fill && {
        date: dateIn(deps.config.TIME_ZONE, new Date(last_fill.shipped_at)),
        units: last_fill.units,
        ndc: last_fill.ndc,
      },
      sender_message_id,
      prescriber_order_number,
    };
  });

function addressOf(
  { vault }: ContextDeps,
  account_id: string,
  prescription_id: number,
  sealed: Buffer | null,
): IncomingAddress | null {
  if (sealed === null) return null;
  const details = vault.open(sealed, detailsPlace(account_id, prescription_id)).toString("utf8");
  return (JSON.parse(details) as { address: IncomingAddress | null }).address;
}

const pharmacyOf = ({ config }: ContextDeps, ncpdp_id: string | null): SendingPharmacy => ({
  ncpdp_id: ncpdp_id ?? config.PHARMACY_NCPDP_ID,
  npi: config.PHARMACY_NPI,
  name: config.PHARMACY_NAME,
  address: {
    street1: config.PHARMACY_STREET,
    street2: null,
    city: config.PHARMACY_CITY,
    state: config.PHARMACY_STATE,
    zip: config.PHARMACY_ZIP,
    country: "US",
  },
  phone: config.PHARMACY_PHONE,
});
