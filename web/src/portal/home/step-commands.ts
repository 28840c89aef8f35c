import type { PortalHome, QuickStartStep } from "@pestle/contract";

/** Values from the account so that commands run as shown. Missing ones show as uppercase placeholders. */
export type KnownValues = {
  client_id?: string | undefined;
  method_id?: number | undefined;
  patient_id?: string | undefined;
  prescription_id?: number | undefined;
  order_number?: string | undefined;
};

/** The command for each step, for a POSIX shell with curl. Each one builds on the step before. */
export function stepCommands(
  { base_url, token_url }: PortalHome["addresses"],
  known: KnownValues,
  sandbox: boolean,
): Partial<Record<QuickStartStep, string>> {
  const { client_id = "YOUR_CLIENT_ID", method_id = 1, patient_id = "PATIENT_ID" } = known;
  const { prescription_id = "PRESCRIPTION_ID", order_number = "ORDER_NUMBER" } = known;
  const call = (path: string, ...more: string[]) =>
    [`curl -sS ${base_url}${path}`, `-H "Authorization: Bearer $TOKEN"`, `-H "Accept: application/json"`, ...more].join(
      " \\\n  ",
    );
  const post = (path: string, body: string) => call(path, `-H "Content-Type: application/json"`, `-d '${body}'`);
  return {
    token: `CLIENT_ID=${client_id}
CLIENT_SECRET=YOUR_CLIENT_SECRET
TOKEN=$(curl -sS ${token_url} \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials -d scope=partners \\
  | sed 's/.*"access_token" *: *"\\([^"]*\\)".*/\\1/')
echo "$TOKEN"`,
    request: call("/shipping_methods"),
    endpoint: post(
      "/webhook_endpoints",
      '{"url":"https://your-service.example/webhooks","secret":"A_SECRET_OF_YOUR_OWN"}',
    ),
    order: post(
      "/orders",
      `{"shipping":{"method_id":${method_id}},"patient":{"patient_id":"${patient_id}"},"items":[{"prescription_id":${prescription_id}}]}`,
    ),
    ...(sandbox && {
      prescription: post("/simulate", '{"simulation_type":"prescription","simulation":{"refills_left":3}}'),
      shipped: post(
        "/simulate",
        `{"simulation_type":"order","simulation":{"order_number":"${order_number}","to":"Shipped"}}`,
      ),
    }),
  };
}
