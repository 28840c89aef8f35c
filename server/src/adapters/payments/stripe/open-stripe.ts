import { PaymentRefused } from "../../../domain/orders/provider-payment.ts";
import { openProviderClient } from "../../providers/provider-client.ts";
import type { ProviderWatch } from "../../providers/provider-watch.ts";
import { STRIPE_VERSION, stripePayments } from "./stripe-payments.ts";

type StripeSettings = {
  STRIPE_API_BASE: string;
  STRIPE_SECRET_KEY: string;
  STRIPE_WEBHOOK_SECRET: string;
  BASE_URL: string;
};

/** Stripe as the settings say, and a call that shows whether the key works. */
export function openStripe(settings: StripeSettings, watch: ProviderWatch, now: () => Date) {
  const client = openProviderClient({
    provider: "stripe",
    base_url: settings.STRIPE_API_BASE,
    headers: { authorization: `Bearer ${settings.STRIPE_SECRET_KEY}`, "stripe-version": STRIPE_VERSION },
    watch,
    ticks: () => performance.now(),
    now,
  });
  const payments = stripePayments({
    client,
    webhook_secret: settings.STRIPE_WEBHOOK_SECRET,
    return_url: settings.BASE_URL === "" ? "http://localhost" : settings.BASE_URL,
    now,
  });
  const check = async () => {
    const { status } = await client.call({ method: "GET", path: "/v1/balance", what: "test" });
    if (status !== 200) throw new PaymentRefused(status === 401 ? "invalid_api_key" : `http_${status}`);
    return "Stripe accepts the key.";
  };
  return { payments, check };
}
