// A telehealth shop in one file: it creates an invoice for each prescription, places an order for each paid invoice,
// and resolves the holds it can. It keeps invoices in memory; in your program, `invoices` is a table.
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import { Conflict, createPestle, RequestRefused } from "@pestle/sdk";
import { createReceiver, nodeHandler, openInbox } from "@pestle/sdk/webhooks";

/**
 * Actions the shop can take on its own, with the fields it sends. A person handles the rest, because a shop must not
 * confirm facts it does not know.
 */
const answers = {
  accept_suggested_address: () => ({}),
  update_email: ({ customer }) => customer && { email: customer.email },
  retry_payment: ({ customer }) => customer && { token: customer.second_card },
};

/**
 * Opens the shop: it listens for webhooks and payments and registers its URL with the pharmacy. `customerOf` knows the
 * customer of a patient id, and `onInvoice` hears of each new invoice.
 */
export async function openShop({ port = 0, customerOf, onInvoice = () => {}, tell = () => {}, ...account }) {
  const pestle = createPestle(account);
  /** Keyed by reference. */
  const invoices = new Map();
  const changes = new EventEmitter();
  const change = (invoice, news, ...words) => {
    Object.assign(invoice, news);
    tell(invoice.reference, ...words);
    changes.emit("change");
  };
  const invoiceOf = (order_number) => [...invoices.values()].find((invoice) => invoice.order_number === order_number);

  /** The reference is the idempotency key, so repeated calls by the payment provider create one order. */
  async function paid(reference) {
    const invoice = invoices.get(reference);
    if (invoice === undefined) return 404;
    if (invoice.order_number !== undefined) return 200;
    const order = {
      reference,
      shipping: { method_id: 1 },
      patient: { patient_id: invoice.patient_id },
      items: [{ prescription_id: invoice.prescription_id }],
    };
    try {
      const placed = await pestle.orders.create(order, { idempotency_key: reference });
      booked(invoice, placed);
      return 201;
    } catch (error) {
      if (error instanceof Conflict && error.order?.reference === reference) {
        booked(invoice, error.order);
        return 200;
      }
      if (!(error instanceof RequestRefused)) throw error;
      const codes = error.errors.map(({ code }) => code);
      change(invoice, { refused: codes }, "refused, give the money back:", codes.join(", "));
      return 422;
    }
  }
  function booked(invoice, { order_number, order_status }) {
    if (invoice.order_number !== undefined) return;
    change(invoice, { order_number, order_status }, "ordered as", order_number);
  }

  /** Sends the first offered action that the shop can answer. */
  async function resolve(invoice, { id, name, order_actions }) {
    for (const { event_key, action } of order_actions) {
      const fields = answers[event_key]?.(invoice);
      if (fields === undefined) continue;
      try {
        await pestle.orders.act(invoice.order_number, { event: event_key, exception_id: id, ...fields });
        return change(invoice, { held: undefined }, `${name}: ${action.toLowerCase()}`);
      } catch (error) {
        // Another request already closed the exception, or the shop's data is invalid.
        if (!(error instanceof RequestRefused)) throw error;
      }
    }
    change(invoice, { held: name }, `${name}: waits for a person`);
  }

  /** An event can arrive before the answer to the request that caused it; the shop then asks the pharmacy. */
  async function known({ order_number }) {
    const invoice = invoiceOf(order_number);
    if (invoice !== undefined) return invoice;
    const order = await pestle.orders.get(order_number);
    const meant = invoices.get(order.reference);
    if (meant !== undefined) booked(meant, order);
    return meant;
  }

  const inbox = openInbox({
    on: {
      async RX_RECEIVED({ patient_id, medication_requests }) {
        for (const { id, drug_name } of medication_requests) {
          const reference = `inv-${id}`;
          const invoice = { reference, patient_id, prescription_id: id, customer: customerOf(patient_id) };
          invoices.set(reference, invoice);
          change(invoice, {}, "please pay for", drug_name);
          onInvoice(reference);
        }
      },
      async ORDER_UPDATED(event, { late }) {
        const invoice = await known(event);
        // An older event would overwrite the newer status.
        if (invoice === undefined || late) return;
        change(invoice, { order_status: event.order_status }, "is", event.order_status);
      },
      async ORDER_EXCEPTION(event) {
        const invoice = await known(event);
        if (invoice !== undefined) await resolve(invoice, event.exception);
      },
    },
    /** The feed has the missed events; the inbox drops the ones it has seen. */
    async onGap({ order_number }) {
      for await (const { body } of pestle.events.list({ order_number })) await inbox.take(body);
    },
  });

  // The receiver needs the signing secret, which the registration returns.
  let receive = async () => 503;
  const hook = nodeHandler((...delivery) => receive(...delivery));
  const payments = async (request, response) => {
    const status = await paid(decodeURIComponent(request.url.slice("/payments/".length))).catch((error) => {
      tell("payment failed:", error.message);
      // The payment provider retries.
      return 500;
    });
    response.writeHead(status).end();
  };
  const server = createServer((request, response) =>
    request.url.startsWith("/payments/") ? payments(request, response) : hook(request, response),
  ).listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${server.address().port}`;
  const url = `${address}/hook`;
  const webhook_secret = randomBytes(24).toString("base64url");
  const events = ["RX_RECEIVED", "ORDER_UPDATED", "ORDER_EXCEPTION"];
  const endpoint = await pestle.webhookEndpoints.create({ url, secret: webhook_secret, events });
  receive = createReceiver({
    url,
    client_secrets: [account.client_secret],
    webhook_secret,
    signing_secret: endpoint.signing_secret,
    inbox,
    onError: (error) => tell("an event failed:", error.message),
  });

  return {
    address,
    pestle,
    invoices,
    /** Waits until the invoices satisfy the condition. */
    async until(what, look, { deadline_ms = 20_000 } = {}) {
      const signal = AbortSignal.timeout(deadline_ms);
      for (let found = look(); ; found = look()) {
        if (found) return found;
        await once(changes, "change", { signal }).catch(() => {
          throw new Error(`waited in vain until ${what}`);
        });
      }
    },
    async close() {
      await pestle.webhookEndpoints.remove(endpoint.id);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
