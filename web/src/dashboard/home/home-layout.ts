import { type QueueKey, queueKeys, type StaffRole } from "@pestle/contract";
import { say } from "../../ui/words/say.tsx";

/** The parts of the home page. */
export type HomePart =
  | "health"
  | "queues"
  | "work"
  | "messages"
  | "today"
  | "week"
  | "ageing"
  | "forecast"
  | "exceptions"
  | "stock";

type Layout = {
  queues: readonly QueueKey[];
  /** Orders that wait longest, among those that the role works on. */
  work: { title: string; filter: string };
  parts: readonly HomePart[];
};

const everyOrder = { title: say("Waiting longest"), filter: "" };

/** Each role sees its own work first, and everything else below. */
export const homeLayouts: Record<StaffRole, Layout> = {
  technician: {
    queues: ["fill", "pack", "product_check", "clinical_review", "on_hold", "shipped_today"],
    work: { title: say("Waiting longest: fill, check and pack"), filter: "&order_status=Filling" },
    parts: ["queues", "work", "ageing", "forecast", "today", "week", "stock", "exceptions"],
  },
  pharmacist: {
    queues: ["clinical_review", "product_check", "on_hold", "fill", "pack", "shipped_today"],
    work: { title: say("Waiting longest: clinical review"), filter: "&queue=clinical_review" },
    parts: ["queues", "work", "messages", "exceptions", "ageing", "forecast", "today", "week", "stock"],
  },
  lead: {
    queues: queueKeys,
    work: everyOrder,
    parts: ["queues", "forecast", "ageing", "today", "week", "exceptions", "stock", "work"],
  },
  admin: {
    queues: queueKeys,
    work: everyOrder,
    parts: ["health", "queues", "today", "week", "forecast", "ageing", "exceptions", "stock", "work"],
  },
};
