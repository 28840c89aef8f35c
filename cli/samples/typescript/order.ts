// A prescription arrives in the sandbox, you order it, and the pharmacy delivers it.
import { createPestle } from "@pestle/sdk";

process.loadEnvFile();
const { CLIENT_ID = "", CLIENT_SECRET = "", PESTLE_BASE_URL = "", PESTLE_AUTH_URL = "" } = process.env;

const pestle = createPestle({
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  base_url: PESTLE_BASE_URL,
  auth_url: PESTLE_AUTH_URL,
});

// In production a prescriber sends it, and RX_RECEIVED tells you.
const { patient_id, prescription_id } = await pestle.simulate.prescription({ drug_name: "atorvastatin" });
const [method] = await pestle.shippingMethods();
if (method === undefined) throw new Error("The account has no shipping methods yet.");

const order = await pestle.orders.create({
  reference: `sample-${prescription_id}`,
  shipping: { method_id: method.id },
  patient: { patient_id },
  items: [{ prescription_id }],
});
console.log("ordered", order.order_number, order.order_status);

// Plays everything that the pharmacy and the carrier would do.
const { order_status } = await pestle.simulate.order({ order_number: order.order_number, to: "Delivered" });
console.log("now", order.order_number, order_status);
