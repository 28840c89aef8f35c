import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

/** What a partner's program does first, on the runtime that runs this. `scripts/sdk/runtimes.ts` runs it on several runtimes. */
export async function journey({ sdk, webhooks, express, testing }) {
  const server = createServer((request, response) => {
    const token = { access_token: "a", token_type: "Bearer", expires_in: 60, scope: "partners" };
    const body = request.url === "/oauth/token" ? token : { brands: [{ id: 1, name: "Harbor", default: true }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const base_url = `http://127.0.0.1:${server.address().port}`;
  const { publicKey: _public, privateKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  const private_key = await crypto.subtle.exportKey("jwk", privateKey);
  const client = { client_id: "c", base_url, auth_url: base_url };
  for (const proof of [{ client_secret: "s" }, { private_key }]) {
    const brands = await sdk.createPestle({ ...client, ...proof }).brands();
    assert.deepEqual(brands, [{ id: 1, name: "Harbor", default: true }]);
  }
  server.close();
  server.closeAllConnections();

  const url = "https://partner.example/hook";
  const secrets = { url, client_secrets: ["secret"], webhook_secret: "word", signing_secret: "whsec_c2VjcmV0" };
  const event = {
    event_id: "e",
    event_type: "RX_RECEIVED",
    timestamp: 1,
    patient_id: "ay87nt",
    medication_requests: [],
  };
  const signed = webhooks.signForTest({ event, client_secret: "secret", ...secrets });
  assert.deepEqual(webhooks.verify(signed.rawBody, signed.headers, secrets), event);
  assert.deepEqual(await webhooks.verifyAsync(signed.rawBody, signed.headers, secrets), event);
  await assert.rejects(webhooks.verifyAsync(`${signed.rawBody} `, signed.headers, secrets), (error) => {
    // Both entries of the package share their classes.
    return error instanceof sdk.WebhookRefused && error.kind === "webhook_refused";
  });
  assert.equal(typeof express.receiveWebhooks({ ...secrets, inbox: webhooks.openInbox({}) }), "function");

  const pharmacy = testing.createFakePharmacy();
  const pestle = sdk.createPestle(pharmacy.options);
  const { patient_id, prescription_id } = pharmacy.prescription();
  const order = await pestle.orders.create({
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id }],
  });
  assert.equal(pharmacy.move(order.order_number, "Shipped").order_status, "Shipped");
}
