import { offlineAddressValidator, simulatedAddressValidator } from "./adapters/address-validator.ts";
import { simulatedCarriers } from "./adapters/carriers.ts";
import { pdfDocuments } from "./adapters/documents/documents.ts";
import { openMail } from "./adapters/mail.ts";
import { openidClient } from "./adapters/oidc.ts";
import { webauthn } from "./adapters/passkeys.ts";
import { simulatedPayments } from "./adapters/payments.ts";
import { rootDestinations } from "./adapters/root-destinations.ts";
import { openWebhookClient } from "./adapters/webhook-client.ts";
import { loadZipTable } from "./adapters/zip-table.ts";
import { type Config, isLoopback, portsIn, WrongSetting } from "./config.ts";
import type { Deps } from "./deps.ts";
import type { ZipTable } from "./domain/values/address/zip.ts";
import { ZipRowFaults } from "./domain/values/address/zip-rows.ts";

/**
 * The adapters to outside systems, for both the service and `pestle order`. To connect a carrier or a payment provider,
 * change only this file.
 */
export function adaptersInUse(
  config: Config,
  demo: boolean,
): Pick<
  Deps,
  | "zips"
  | "address_validators"
  | "payments"
  | "carriers"
  | "documents"
  | "mail"
  | "oidc"
  | "passkeys"
  | "roots_to"
  | "webhook_client"
> {
  const zips = readZips(config);
  const addressValidator = offlineAddressValidator(zips);
  return {
    zips,
    address_validators: { production: addressValidator, sandbox: simulatedAddressValidator(addressValidator) },
    payments: { production: simulatedPayments, sandbox: simulatedPayments },
    carriers: { production: simulatedCarriers, sandbox: simulatedCarriers },
    documents: pdfDocuments,
    roots_to: rootDestinations(config.AUDIT_ROOTS_TO),
    mail: openMail({ smtp_url: config.SMTP_URL, from: config.MAIL_FROM }),
    oidc: openidClient,
    passkeys: webauthn,
    webhook_client: openWebhookClient({
      loopback_ports: demo && isLoopback(config.HOST) ? "any" : portsIn(config.SANDBOX_LOOPBACK_PORTS),
    }),
  };
}

function readZips({ ZIP_TABLE_FILE }: Config): ZipTable {
  try {
    const zips = loadZipTable(ZIP_TABLE_FILE);
    // Loads the city names now, so that no partner's request has to wait for it.
    zips.areasOf("CA", "");
    return zips;
  } catch (error) {
    const reason =
      error instanceof ZipRowFaults ? error.message : `cannot be read (${(error as { code?: string }).code})`;
    throw new WrongSetting(`ZIP_TABLE_FILE ${reason}. Set it to a readable CSV file of zip,state,city.`);
  }
}
