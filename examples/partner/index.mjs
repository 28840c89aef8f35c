// A day in the shop, in the sandbox: prescriptions arrive, customers pay, holds are resolved, parcels are delivered.
import { existsSync, readFileSync } from "node:fs";
import { openShop } from "./shop.mjs";

const { CLIENT_ID, CLIENT_SECRET, BASE_URL, AUTH_URL } = process.env;
const account =
  CLIENT_ID === undefined
    ? demoAccount(".data/demo.json")
    : { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, base_url: BASE_URL, auth_url: AUTH_URL };

/** The shop's customers, keyed by the id that their prescriber also uses. */
const day = Date.now().toString(36);
const customers = Object.fromEntries(
  ["plain", "moved", "silent", "allergic"].map((name) => [
    `${name}-${day}`,
    { email: `${name}@patients.example`, second_card: "tok_visa" },
  ]),
);

const customerOf = (patient_id) => customers[patient_id];
const shop = await openShop({ ...account, customerOf, tell: (...words) => console.log(words.join(" ")) });
const { pestle, invoices } = shop;

// Prescribers send prescriptions; the shop creates an invoice when each webhook arrives.
const address = { street1: "1400 Alder Ct", city: "Sacramento", state: "CA", zip: "95814" };
const written = [
  { drug_name: "atorvastatin", patient: { patient_id: `plain-${day}`, address } },
  // An invalid address, a missing email, and a drug the patient is allergic to.
  {
    drug_name: "atorvastatin",
    patient: { patient_id: `moved-${day}`, address: { ...address, street1: "77 Larch St" } },
  },
  { drug_name: "finasteride", patient: { patient_id: `silent-${day}`, address, email: null } },
  { drug_name: "amoxicillin", patient: { patient_id: `allergic-${day}`, address, allergies: ["Penicillin"] } },
];
for (const prescription of written) await pestle.simulate.prescription({ written_qty: 30, ...prescription });
await shop.until("every prescription is an invoice", () => invoices.size === written.length);

// Payment providers call more than once. There is still one order.
for (const reference of [...invoices.keys(), ...invoices.keys()]) {
  const { status } = await fetch(`${shop.address}/payments/${reference}`, { method: "POST" });
  if (status >= 300) throw new Error(`payment for ${reference}: ${status}`);
}

const open = () => [...invoices.values()].filter(({ held }) => held === undefined);
await shop.until("all holds but one are resolved", () => {
  const settled = [...invoices.values()].filter(({ held, order_status }) => held ?? order_status === "Processing");
  return settled.length === written.length && open().length === written.length - 1;
});

// The pharmacy and the carrier do their work, and shop staff call the customer whose order is on hold.
for (const { order_number } of open()) await pestle.simulate.order({ order_number, to: "Delivered" });
const [held] = [...invoices.values()].filter((invoice) => invoice.held !== undefined);
await pestle.orders.cancel(held.order_number);

const ended = { Delivered: 3, Canceled: 1 };
await shop.until("the shop has heard of the end of all", () =>
  Object.entries(ended).every(
    ([status, count]) => [...invoices.values()].filter(({ order_status }) => order_status === status).length === count,
  ),
);
await shop.close();
console.log("done");

function demoAccount(file) {
  if (!existsSync(file)) {
    console.error(`There is no ${file} here: run \`npm start\` in this folder first, or set CLIENT_ID and the others.`);
    process.exit(1);
  }
  const { partners, base_url, sandbox_auth_url } = JSON.parse(readFileSync(file, "utf8"));
  const { client_id, client_secret } = partners[0];
  return { client_id, client_secret, base_url, auth_url: sandbox_auth_url };
}
