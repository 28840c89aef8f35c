/** The two authenticity headers contain the operator's name, `Service` by default. */
export const webhookHeaders = (operator_name = "Service") => {
  const word = operator_name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "") || "Service";
  return { signature: `X-${word}-Signature`, secret: `X-${word}-Secret` } as const;
};

/** Standard Webhooks, https://www.standardwebhooks.com: these protect against replay. */
export const standardWebhookHeaders = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;
/** Maximum difference between `webhook-timestamp` and the receiver's clock. */
export const TIMESTAMP_TOLERANCE_S = 300;
