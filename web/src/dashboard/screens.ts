import { type QueueKey, queueKeys, queues } from "@pestle/contract";
import type { Screen } from "../app/shell/screen.ts";
import type { IconName } from "../ui/icon.tsx";
import { say, sayName } from "../ui/words/say.tsx";
import { adminScreens } from "./admin-screens.ts";

const queueMarks: Record<QueueKey, { icon: IconName; keys: string }> = {
  clinical_review: { icon: "review", keys: "g r" },
  fill: { icon: "fill", keys: "g f" },
  product_check: { icon: "scan", keys: "g c" },
  pack: { icon: "pack", keys: "g p" },
  on_hold: { icon: "hold", keys: "g o" },
  shipped_today: { icon: "truck", keys: "g s" },
};

/** All dashboard screens. */
export const screens: readonly Screen[] = [
  {
    path: "/account",
    title: say("Your sign-in"),
    load: async () => (await import("./account/account-screen.tsx")).AccountScreen,
  },
  {
    path: "/",
    title: say("Home"),
    load: async () => (await import("./home/home-screen.tsx")).HomeScreen,
    nav: { group: say("Work"), icon: "home", keys: "g h" },
  },
  ...queueKeys.map(
    (key): Screen => ({
      path: `/queue/${key}`,
      title: sayName(queues[key].name),
      load: async () => (await import("./queue/queue-screen.tsx")).QueueScreen,
      nav: { group: say("Work"), ...queueMarks[key] },
    }),
  ),
  {
    path: "/orders",
    title: say("All orders"),
    load: async () => (await import("./queue/queue-screen.tsx")).QueueScreen,
    nav: { group: say("Work"), icon: "list", keys: "g a" },
  },
  {
    path: "/messages",
    title: say("Messages"),
    load: async () => (await import("./queue/queue-screen.tsx")).QueueScreen,
    nav: { group: say("Work"), icon: "message", keys: "g m" },
  },
  {
    path: "/order/$account_id/$order_number",
    title: say("Order"),
    load: async () => (await import("./order/order-screen.tsx")).OrderScreen,
  },
  {
    path: "/patient/$account_id/$patient_key",
    title: say("Patient"),
    load: async () => (await import("./order/patient/patient-screen.tsx")).PatientScreen,
  },
  ...adminScreens,
];
