import type { EventType } from "./webhooks/webhooks.ts";

/** `order_status`, spelled as on the wire. */
export const orderStatuses = ["Processing", "Filling", "Shipped", "Delivered", "On Hold", "Canceled"] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** Steps of the work within a status. Operators see them, partners do not. */
export const stages = {
  Processing: ["clinical_review"],
  Filling: ["fill", "product_check", "pack"],
} as const;
export type Stage = (typeof stages)[keyof typeof stages][number];

/** A status with its stage. */
export const orderStates = [
  "Processing/clinical_review",
  "Filling/fill",
  "Filling/product_check",
  "Filling/pack",
  "Shipped",
  "Delivered",
  "On Hold",
  "Canceled",
] as const;
export type OrderState = (typeof orderStates)[number];

export const finalStates = ["Delivered", "Canceled"] as const satisfies readonly OrderState[];

/** States in which an order can be held, and to which it returns. */
export const holdableStates = [
  "Processing/clinical_review",
  "Filling/fill",
  "Filling/product_check",
  "Filling/pack",
] as const satisfies readonly OrderState[];
export type HoldableState = (typeof holdableStates)[number];

export const roles = ["partner", "system", "pharmacist", "technician", "operator", "carrier"] as const;
export type Role = (typeof roles)[number];

/**
 * Permissions of pharmacy staff by sign-in role. History shows the first of them. Only a person with a current license
 * has the permissions of a pharmacist. An admin manages the service and is never a pharmacist.
 */
export const staffRoles = {
  technician: ["technician", "operator"],
  pharmacist: ["pharmacist", "technician", "operator"],
  // The pharmacist in charge: can also take over orders that others have claimed.
  lead: ["pharmacist", "technician", "operator"],
  admin: ["operator", "technician"],
} as const satisfies Record<string, readonly Role[]>;
export type StaffRole = keyof typeof staffRoles;
export const staffRoleNames = Object.keys(staffRoles) as [StaffRole, ...StaffRole[]];
/** Roles that can make a pharmacist's decisions, with a current license. */
export const pharmacistRoles = staffRoleNames.filter((role) =>
  (staffRoles[role] as readonly Role[]).includes("pharmacist"),
);
/** Roles that can view, route and close review entries. A verdict on a prescription needs a licensed pharmacist. */
export const reviewerRoles = [...pharmacistRoles, "admin"] as const satisfies readonly StaffRole[];

export type Transition = {
  readonly event: string;
  /** `new` is an order that does not exist yet. */
  readonly from: readonly (OrderState | "new")[];
  /** `before the hold` is the state before On Hold. `unchanged` keeps the state. */
  readonly to: OrderState | "before the hold" | "unchanged";
  readonly by: readonly Role[];
  /** The step brings a package nearer to the patient: the checks run first, and a new exception holds the order instead. */
  readonly checked?: true;
  /** A condition in addition to the starting state. */
  readonly when?: string;
  /** An order with only OTC products never sends RX_UPDATED, because it has no prescription. */
  readonly sends: readonly EventType[];
  readonly also?: string;
};

/** A change of `order_status` always sends these two. The second goes only to endpoints that opted in. */
const statusChange = ["RX_UPDATED", "ORDER_UPDATED"] as const satisfies readonly EventType[];

/** The order in which one change sends its events. */
export const toldInOrder = [
  "RX_UPDATED",
  "SHIPMENT_UPDATED",
  "ORDER_UPDATED",
  "ORDER_EXCEPTION",
] as const satisfies readonly EventType[];

const UNHELD = "The checks run again and find no new exception. Otherwise they hold the order instead.";

/** Every transition of an order. Each writes one history row and its events in the same transaction. */
export const transitions = [
  {
    event: "create",
    from: ["new"],
    to: "Processing/clinical_review",
    by: ["partner", "system"],
    when: "An item needs a prescription and no hold applies.",
    sends: statusChange,
    also: "Units and stock are reserved.",
  },
  {
    event: "create",
    from: ["new"],
    to: "Filling/fill",
    by: ["partner", "system"],
    when: "All items are OTC and no hold applies.",
    sends: ["ORDER_UPDATED"],
    also: "Stock is reserved.",
  },
  {
    event: "create",
    from: ["new"],
    to: "On Hold",
    by: ["partner", "system"],
    when: "At least one hold applies.",
    sends: [...statusChange, "ORDER_EXCEPTION"],
    also: "Units and stock are reserved; each exception sends its own ORDER_EXCEPTION.",
  },
  {
    event: "approve_review",
    from: ["Processing/clinical_review"],
    to: "Filling/fill",
    by: ["pharmacist"],
    checked: true,
    when: UNHELD,
    sends: statusChange,
  },
  {
    event: "complete_fill",
    from: ["Filling/fill"],
    to: "Filling/product_check",
    by: ["technician"],
    checked: true,
    when: UNHELD,
    sends: [],
    also: "Lot and expiry are recorded.",
  },
  {
    event: "verify_product",
    from: ["Filling/product_check"],
    to: "Filling/pack",
    by: ["pharmacist"],
    checked: true,
    when: `A different person filled it. ${UNHELD}`,
    sends: [],
  },
  {
    event: "reject_product",
    from: ["Filling/product_check", "Filling/pack"],
    to: "Filling/fill",
    by: ["pharmacist"],
    sends: [],
    also: "The reason is recorded.",
  },
  {
    event: "ship",
    from: ["Filling/pack"],
    to: "Shipped",
    by: ["technician", "system"],
    checked: true,
    when: UNHELD,
    sends: [...statusChange, "SHIPMENT_UPDATED"],
    also: "The payment is captured. Label and tracking number exist.",
  },
  {
    event: "track",
    from: ["Shipped"],
    to: "Shipped",
    by: ["carrier", "operator"],
    sends: ["SHIPMENT_UPDATED"],
    also: "The shipment's status changes. A returned or lost parcel allows refund and reorder.",
  },
  {
    event: "deliver",
    from: ["Shipped"],
    to: "Delivered",
    by: ["carrier", "operator"],
    sends: [...statusChange, "SHIPMENT_UPDATED"],
  },
  {
    event: "raise_exception",
    from: holdableStates,
    to: "On Hold",
    by: ["system", "operator", "partner"],
    sends: [...statusChange, "ORDER_EXCEPTION"],
    also: "The previous state is saved. A partner can raise only 64, by sending `hold`.",
  },
  {
    event: "raise_exception",
    from: ["On Hold"],
    to: "On Hold",
    by: ["system", "operator"],
    sends: ["ORDER_EXCEPTION"],
    also: "One more exception is open.",
  },
  {
    event: "resolve",
    from: ["On Hold"],
    to: "On Hold",
    by: ["partner", "pharmacist", "operator", "system"],
    when: "Another exception is still open.",
    sends: [],
    also: "The checks run again.",
  },
  {
    event: "resolve",
    from: ["On Hold"],
    to: "before the hold",
    by: ["partner", "pharmacist", "operator", "system"],
    when: "It was the last open exception.",
    sends: statusChange,
    also: "The checks run again. After `replace_prescription`, the order continues at clinical review.",
  },
  {
    event: "cancel",
    from: [...holdableStates, "On Hold"],
    to: "Canceled",
    by: ["partner", "operator", "system"],
    sends: statusChange,
    also: "Units and stock are returned and the authorization is voided. The system cancels orders whose prescription the prescriber canceled.",
  },
  {
    event: "update_address",
    from: [...holdableStates, "On Hold"],
    to: "unchanged",
    by: ["partner", "operator"],
    when: "It neither raises nor resolves an exception.",
    sends: [],
  },
  {
    event: "replace_prescription",
    from: ["On Hold"],
    to: "unchanged",
    by: ["partner", "system"],
    when: "It neither raises nor resolves an exception.",
    sends: [],
    also: "If a pharmacist approved the order before, it continues at clinical review when the hold ends, and is filled again.",
  },
  {
    event: "remove_item",
    from: ["On Hold"],
    to: "unchanged",
    by: ["partner"],
    when: "It neither raises nor resolves an exception.",
    sends: [],
    also: "The item's units and stock are returned.",
  },
  {
    event: "refund",
    from: ["Shipped", "Delivered"],
    to: "unchanged",
    by: ["partner", "operator"],
    sends: [],
    also: "All or part of the captured amount is refunded, with a reason.",
  },
] as const satisfies readonly Transition[];

export type TransitionEvent = (typeof transitions)[number]["event"];

/** Whether the checks run before this step and can hold the order instead. */
export const isCheckedStep = (event: TransitionEvent): boolean =>
  transitions.some((row: Transition) => row.event === event && row.checked === true);

export const statusOfState = (state: OrderState): OrderStatus => state.split("/")[0] as OrderStatus;
export const stageOfState = (state: OrderState): Stage | null => (state.split("/")[1] as Stage | undefined) ?? null;
export const isFinal = (state: OrderState): boolean => (finalStates as readonly OrderState[]).includes(state);

/** Transitions out of this state. */
export const transitionsFrom = (state: OrderState | "new"): readonly Transition[] =>
  transitions.filter((row: Transition) => row.from.includes(state));
