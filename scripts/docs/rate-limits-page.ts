import { statusMessages } from "@pestle/contract";
import { defaultLimits } from "../../server/src/http/front-door.ts";
import { generated, page, table } from "./markdown.ts";

const WHO: Record<keyof typeof defaultLimits, string> = {
  production: "a credential in production",
  sandbox: "a credential in the sandbox",
  intake: "a credential of an e-prescription network",
};

export function rateLimitsPage() {
  return page(
    generated("`server/src/http/front-door.ts`"),
    "# Rate limits\n",
    "You will know how fast you can call, how to see how many requests remain, and what to do at the limit. [Quotas](../quotas.md) limit how much an account stores.\n",
    table(
      ["who", "requests per second, sustained", "requests at once"],
      Object.entries(defaultLimits).map(([name, { rate_per_second, burst }]) => [
        WHO[name as keyof typeof WHO],
        rate_per_second,
        burst,
      ]),
    ),
    "The pharmacy can change these for an account. All processes of the service share one limit.\n",
    "## See how many requests remain\n",
    'Every answer has two headers. `RateLimit-Policy: "credential";q=50;w=2` means 50 requests in 2 seconds. `RateLimit: "credential";r=31;t=1` means that 31 remain, and that the limit is whole again in 1 second.\n',
    "## At the limit\n",
    `The service answers 429 with \`Retry-After\` in seconds and does nothing else: "${statusMessages[429]}" A request that got 429 saved nothing, so you can send it again with the same \`Idempotency-Key\`. [Idempotency and retries](idempotency.md#3-retry-what-can-be-retried) has the waits. The SDK waits and retries for you until its deadline.\n`,
    "## Call less\n",
    "- Receive [webhooks](webhooks.md) instead of polling orders, or follow `GET /webhook_events`: one request returns up to 200 events.\n- Read lists with `limit=200`: see [pagination](pagination.md).\n- Send `If-None-Match` with the last `ETag`: a 304 has no body. It counts like any other request.\n- Keep the access token. The token server has its own limit: 20 requests per second and client.\n",
  );
}
