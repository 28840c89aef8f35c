import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ProviderChoice } from "@pestle/contract";
import { isLoopback } from "@pestle/contract";
import { offlineAddressValidator, simulatedAddressValidator } from "./adapters/addresses/address-validator.ts";
import { loadZipTable } from "./adapters/addresses/zip-table.ts";
import { type Carriers, noCarrier, simulatedCarriers } from "./adapters/carriers/carriers.ts";
import { openEasyPost } from "./adapters/carriers/easypost/open-easypost.ts";
import { manualCarrier } from "./adapters/carriers/manual/manual-carrier.ts";
import { pdfDocuments } from "./adapters/documents/documents.ts";
import { openMail } from "./adapters/messages/mail.ts";
import { type Sms, simulatedSms } from "./adapters/messages/sms.ts";
import { openTwilio } from "./adapters/messages/twilio/twilio.ts";
import { openidClient } from "./adapters/oidc.ts";
import { webauthn } from "./adapters/passkeys.ts";
import { noPayments, type Payments, simulatedInProduction, simulatedPayments } from "./adapters/payments/payments.ts";
import { openStripe } from "./adapters/payments/stripe/open-stripe.ts";
import { createProviderWatch } from "./adapters/providers/provider-watch.ts";
import { rootDestinations } from "./adapters/root-destinations.ts";
import { openWebhookClient } from "./adapters/webhook-client.ts";
import { type Config, portsIn, WrongSetting } from "./config.ts";
import type { Deps } from "./deps.ts";
import type { ZipTable } from "./domain/values/address/zip.ts";
import { ZipRowFaults } from "./domain/values/address/zip-rows.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { providersInUse } from "./providers-in-use.ts";

/** The adapters to outside systems. To connect another carrier or payment provider, change only this file. */
export function adaptersInUse(
  config: Config,
  { demo, metrics, now }: { demo: boolean; metrics: Pick<Metrics, "observeProvider" | "setBreaker">; now: () => Date },
): Pick<
  Deps,
  | "zips"
  | "address_validators"
  | "providers"
  | "provider_watch"
  | "provider_checks"
  | "payments"
  | "carriers"
  | "documents"
  | "mail"
  | "sms"
  | "oidc"
  | "passkeys"
  | "roots_to"
  | "webhook_client"
> {
  const zips = readZips(config);
  const addressValidator = offlineAddressValidator(zips);
  const providers = providersInUse(config, demo);
  const provider_watch = createProviderWatch(metrics);
  const mail = openMail({
    smtp_url: providers.mail === "smtp" ? config.SMTP_URL : "",
    from: config.MAIL_FROM,
    dkim: readDkim(config),
  });
  const sms = productionSms(config, providers.sms, provider_watch, now);
  const stripe = providers.payments === "stripe" ? openStripe(config, provider_watch, now) : undefined;
  const uses_easypost = providers.carrier === "easypost" || providers.addresses === "easypost";
  const easypost = uses_easypost ? openEasyPost(config, provider_watch, now) : undefined;
  return {
    zips,
    providers,
    provider_watch,
    provider_checks: {
      ...(stripe && { stripe: stripe.check }),
      ...(easypost && { easypost: easypost.check }),
      ...(mail && { smtp: mail.check }),
      ...(sms?.provider === "twilio" && { twilio: sms.check }),
    },
    address_validators: {
      production: providers.addresses === "easypost" ? easypost!.addresses(addressValidator) : addressValidator,
      sandbox: simulatedAddressValidator(addressValidator),
    },
    payments: { production: stripe?.payments ?? productionPayments(providers.payments), sandbox: simulatedPayments },
    carriers: { production: productionCarriers(providers.carrier, easypost?.carriers), sandbox: simulatedCarriers },
    documents: pdfDocuments,
    roots_to: rootDestinations(config.AUDIT_ROOTS_TO),
    mail,
    sms: { production: sms, sandbox: simulatedSms },
    oidc: openidClient,
    passkeys: webauthn,
    webhook_client: openWebhookClient({
      loopback_ports: demo && isLoopback(config.HOST) ? "any" : portsIn(config.SANDBOX_LOOPBACK_PORTS),
    }),
  };
}

function productionPayments(chosen: ProviderChoice | null): Payments {
  return chosen === "simulated" ? simulatedInProduction : noPayments;
}

function productionCarriers(chosen: ProviderChoice | null, easypost: Carriers | undefined): Carriers {
  if (chosen === "easypost" && easypost !== undefined) return easypost;
  if (chosen === "manual") return manualCarrier;
  return chosen === "simulated" ? simulatedCarriers : noCarrier;
}

function productionSms(
  config: Config,
  chosen: ProviderChoice | null,
  watch: Deps["provider_watch"],
  now: () => Date,
): Sms | null {
  if (chosen === "simulated") return simulatedSms;
  if (chosen !== "twilio") return null;
  return openTwilio({
    account_sid: config.TWILIO_ACCOUNT_SID,
    auth_token: config.TWILIO_AUTH_TOKEN,
    from: config.TWILIO_FROM,
    base_url: config.TWILIO_API_BASE,
    watch,
    ticks: () => performance.now(),
    now,
  });
}

function readDkim({ DKIM_DOMAIN: domain, DKIM_SELECTOR: selector, DKIM_KEY_FILE }: Config) {
  if (DKIM_KEY_FILE === "") return undefined;
  try {
    const key = readFileSync(DKIM_KEY_FILE, "utf8");
    createPrivateKey(key);
    return { domain, selector, key };
  } catch (error) {
    const { code } = error as { code?: string };
    throw new WrongSetting(`DKIM_KEY_FILE cannot be read (${code}). Set it to a PEM file with the private key.`);
  }
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
