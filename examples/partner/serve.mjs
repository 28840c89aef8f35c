// The shop as a service: it orders each prescription that arrives, because every customer pays at once. `pestle certify
// orders` plays its scripted day to it.
import { setTimeout as delay } from "node:timers/promises";
import { openShop } from "./shop.mjs";

const { CLIENT_ID, CLIENT_SECRET, BASE_URL, AUTH_URL } = process.env;
for (const name of ["CLIENT_ID", "CLIENT_SECRET", "BASE_URL", "AUTH_URL"]) {
  if (process.env[name]) continue;
  console.error(`${name} is not set: the README beside this file says where it comes from.`);
  process.exit(1);
}

/** Like other payment providers, this one calls again after a failure, and gives up in the end. */
const pauses_ms = [1_000, 3_000];

const shop = await openShop({
  ...{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, base_url: BASE_URL, auth_url: AUTH_URL },
  customerOf: (patient_id) => ({ email: `${patient_id}@patients.example`, second_card: "tok_visa" }),
  onInvoice: (reference) => void pay(reference),
  tell: (...words) => console.log(words.join(" ")),
});
console.log("open");

async function pay(reference) {
  for (const pause_ms of [...pauses_ms, undefined]) {
    const { status } = await fetch(`${shop.address}/payments/${reference}`, { method: "POST" });
    if (status < 500) return;
    if (pause_ms === undefined) console.log(reference, "failed: a person must look");
    else await delay(pause_ms);
  }
}

async function close() {
  await shop.close().catch(() => {});
  process.exit(0);
}
process.once("SIGTERM", close);
process.once("SIGINT", close);
