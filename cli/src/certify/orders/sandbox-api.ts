import type { FoundOrder, Sandbox } from "./play-day.ts";

/** Calls the partner API: a method, a path without `/v1`, and a body. */
export type Ask = <Body>(method: "GET" | "POST", path: `/${string}`, body?: object) => Promise<Body>;

/** Plays prescribers and pharmacy over the API, as any partner can in the sandbox. */
export function sandboxOver(ask: Ask): Sandbox {
  const simulate = (simulation_type: string, simulation: object) =>
    ask("POST", "/simulate", { simulation_type, simulation });
  return {
    // The sandbox chooses a drug that is in stock, so that any catalogue will do.
    prescribe: (patient_id, patient) =>
      simulate("prescription", { refills_left: 3, patient: { ...patient, patient_id } }),
    raise: (order_number, exception_id) => simulate("order", { order_number, exception_id }),
    cancel: (order_number) => simulate("order", { order_number, to: "Canceled" }),
    giveBack: (order_number) =>
      ask("POST", `/orders/${order_number}/partner_order_action_requests`, { event: "cancel" }),
    order: (order_number) => ask("GET", `/orders/${order_number}`),
    ordersOf: async (patient_id) =>
      (await ask<{ orders: FoundOrder[] }>("GET", `/orders?patient_id=${patient_id}&limit=200`)).orders,
  };
}
