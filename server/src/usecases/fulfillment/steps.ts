import {
  type ExceptionId,
  exceptionRow,
  type FilledLine,
  type Order,
  type OverrideCode,
  orderStatusReasons,
  type Role,
  SHORTEST_OVERRIDE_TEXT,
  type StaffRole,
  scannedCode,
  staffRoles,
  type WorkEvent,
  workAudit,
} from "@pestle/contract";
import type { Queryable, Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { isLicensedPharmacist, isPharmacistRole } from "../../domain/accounts/license.ts";
import { matchScans, shortLife } from "../../domain/fulfillment/item-lots.ts";
import { type Actor, apply, ImpossibleStep, isOpen, type Step, system } from "../../domain/orders/order.ts";
import { cancelOutcome, refundOutcome } from "../../domain/orders/order-actions.ts";
import { decideChange, holdFactsOf, type Outcome } from "../../domain/orders/order-change.ts";
import { basisOf, isForPharmacist } from "../../domain/orders/order-holds.ts";
import { normaliseNdc } from "../../domain/values/identifiers.ts";
import { checkedNote } from "../operations/checked-note.ts";
import { writeAudit } from "../operations/write-audit.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { recheckDuplicates } from "../orders/recheck-orders.ts";
import { type ChangeBy, changeOrder } from "../orders/save-change.ts";
import { settleAsked } from "../orders/settle-payment.ts";
import { situationsToRaise } from "../orders/suggest-address.ts";
import { transact } from "../write.ts";
import { itemDays } from "./item-days.ts";
import { type ReadShelves, readShelves, takenLots } from "./lots/fill-lots.ts";
import { voidLabels } from "./parcels/void-labels.ts";
import { type LotCheck, lotCheck } from "./recall/quarantine-lot.ts";
import { WorkRefusal, type WorkRefusalKey } from "./work-refusal.ts";

/** A staff member's work on an order. */
export type Work = {
  account_id: string;
  order_number: string;
  by: Worker;
  /** The revision that the person saw; the step is refused if the order has changed since. */
  revision?: number;
  /** The web request and its step, for the audit log. */
  request_id?: string;
  event?: WorkEvent;
};
/** A signed-in staff member, or a simulated one in the sandbox. */
export type Worker = {
  person_id: string;
  role: StaffRole;
  /** The number of the person's pharmacist license if it is current. */
  license: string | null;
  /** The client's address, for the audit log; absent on the command line. */
  address?: string;
};

/** The person's permissions. Without a current license, a pharmacist has only those of a technician. */
export const actorOf = ({ person_id, role, license }: Worker): Actor => {
  const roles: readonly Role[] = staffRoles[role];
  return { roles: license === null ? roles.filter((one) => one !== "pharmacist") : roles, person_id };
};

/**
 * A pharmacist approves the order for filling. The checks run before this and each later step, and can hold it. In bulk,
 * a finding of any severity refuses the order, because the pharmacist has not seen it.
 */
export const approveReview = (deps: Deps, work: Work, { in_bulk = false } = {}): Promise<Order> =>
  workOrder(deps, work, (loaded) => {
    const approved = reviewApproved(work)(loaded);
    if (in_bulk) {
      const { open, findings } = decideChange(loaded, {}, loaded.rules);
      if (open.length === 0 && findings.length > 0) throw new WorkRefusal("has_findings");
    }
    return approved;
  });

export const reviewApproved =
  ({ by }: Work) =>
  (loaded: LoadedOrder): Decided => {
    requireStep(loaded, { event: "approve_review" }, actorOf(by));
    return [{ event: "approve_review" }];
  };

/** A technician took the packages from the shelf. The lots are stored, so that a recall finds every patient. */
export const completeFill = (deps: Deps, work: Work, filled: readonly FilledLine[]): Promise<Order> =>
  workOrder(deps, work, (loaded, tx) => fillCompleted(work, filled)(loaded, readShelves(tx, work.account_id)));

export const fillCompleted =
  (work: Work, filled: readonly FilledLine[]) =>
  async (loaded: LoadedOrder, read: ReadShelves): Promise<Decided> => {
    requireStep(loaded, { event: "complete_fill" }, actorOf(work.by));
    requireEveryItem(loaded, filled);
    const taken = await takenLots(read, loaded, filled);
    const items = filled.map(({ item_id }) => {
      const lots = taken.get(item_id) ?? [];
      return { item_id, lot: lots[0]?.lot ?? null, lot_expires_on: lots[0]?.expires_on ?? null, lots };
    });
    return [{ event: "complete_fill", items }, { columns: { filled_by: work.by.person_id } }];
  };

export type ScannedItem = { item_id: number; code: string; lot?: string | null };

/**
 * A second person scans a package of every lot: the NDC in any format, or the SKU if there is no NDC. `lot` is the one that
 * the person read, if the code has none.
 */
export const verifyProduct = (deps: Deps, work: Work, scanned: readonly ScannedItem[]): Promise<Order> =>
  workOrder(deps, work, (loaded, tx) => productVerified(work, scanned)(loaded, lotCheck(tx, work.account_id)));

export const productVerified =
  (work: Work, scanned: readonly ScannedItem[]) =>
  async (loaded: LoadedOrder, refuseRecalled: LotCheck): Promise<Decided> => {
    requireStep(loaded, { event: "verify_product" }, actorOf(work.by));
    if (loaded.row.filled_by === work.by.person_id) throw new WorkRefusal("same_person");
    requireEveryItem(
      loaded,
      [...new Set(scanned.map(({ item_id }) => item_id))].map((item_id) => ({ item_id })),
    );
    const packages = scanned.map(({ item_id, code, lot: read }) => {
      const parsed = scannedCode(code);
      return { ...parsed, item_id, sent: code.trim(), lot: parsed.lot ?? read ?? null };
    });
    for (const { item_id, sent, code, fault } of packages) {
      const { ndc, sku } = loaded.order.items.find((item) => item.item_id === item_id)!;
      if (fault !== null && sent !== sku) throw new WorkRefusal("unreadable");
      const fits = ndc === null ? sent === sku || code === sku : normaliseNdc(code).includes(ndc);
      if (!fits) throw new WorkRefusal("wrong_product");
    }
    for (const { item_id, lots } of loaded.details) {
      const own = packages.filter((one) => one.item_id === item_id);
      if (own.length > Math.max(1, lots.length)) throw new WorkRefusal("every_item");
      const refused = matchScans(lots, own);
      if (refused !== null) throw new WorkRefusal(refused);
    }
    const serials = packages.flatMap(({ code, serial }) => (serial === null ? [] : `${code} ${serial}`));
    if (new Set(serials).size !== serials.length) throw new WorkRefusal("scanned_twice");
    await requireGoodLots(refuseRecalled, loaded);
    return [{ event: "verify_product" }];
  };

/** Sends the order back to be filled again. */
export const rejectProduct = (deps: Deps, work: Work, reason: string): Promise<Order> =>
  workOrder(deps, work, ({ order }) => [
    {
      event: "reject_product",
      // The packages go back to the shelf, so a recall of their lot no longer concerns this patient.
      items: order.items.map(({ item_id }) => ({ item_id, lot: null, lot_expires_on: null })),
    },
    { reason: checkedNote(reason), columns: { filled_by: null } },
  ]);

/** A staff member holds an order. Only a person can end this hold, no check does. */
export const raiseException = async (deps: Deps, work: Work, id: ExceptionId, reason: string): Promise<Order> => {
  const situations = await situationsToRaise(deps, work, id);
  return workOrder(deps, work, (loaded) => {
    if (loaded.standing.open.includes(id)) throw new WorkRefusal("open_already");
    return [{ raises: [id], situations: situations(loaded) }, { reason: checkedNote(reason) }];
  });
};

/**
 * A staff member resolves an exception with a reason: its cause is gone, or the table allows an override. An override
 * that needs a pharmacist also needs a code, and the license number is stored with it.
 */
export const resolveException = (
  deps: Deps,
  work: Work,
  id: ExceptionId,
  reason: string,
  code: OverrideCode | null = null,
): Promise<Order> =>
  workOrder(deps, work, (loaded) => {
    const refused = whyNotResolved(loaded, id, work.by);
    if (refused !== null) throw new WorkRefusal(refused);
    const text = checkedNote(reason);
    if (!isOverride(loaded, id)) return [{ confirms: [id] }, { reason: text }];
    if (code === null) throw new WorkRefusal("code_needed");
    if (text.length < SHORTEST_OVERRIDE_TEXT) throw new WorkRefusal("text_too_short");
    const override = { exception_id: id, code, license: work.by.license! };
    return [{ confirms: [id] }, { reason: text, override }];
  });

/** Why a person may not resolve an exception; null if they may. */
export function whyNotResolved(loaded: LoadedOrder, id: ExceptionId, by: Worker): WorkRefusalKey | null {
  if (!loaded.standing.open.includes(id)) return "not_open";
  if (exceptionRow(id).overridden_by === "nobody" && causeRemains(loaded, id)) return "cause_remains";
  if (!isOverride(loaded, id) || isLicensedPharmacist(by)) return null;
  return lacksLicense(by) ? "license_needed" : "pharmacist_needed";
}

/** Whether resolving the exception overrides a check that only a pharmacist may override. */
function isOverride(loaded: LoadedOrder, id: ExceptionId): boolean {
  // No check can tell whether the cause of a manually raised exception is gone.
  const by_hand = loaded.holds.some((hold) => hold.id === id && hold.basis === null);
  // Only a pharmacist judges an allergy or an interaction, even if the patient's record no longer has it.
  return (
    exceptionRow(id).overridden_by === "pharmacist" && (by_hand || isForPharmacist(id) || causeRemains(loaded, id))
  );
}

const causeRemains = (loaded: LoadedOrder, id: ExceptionId): boolean =>
  basisOf(id, holdFactsOf(loaded, loaded.rules).facts) !== null ||
  // No check finds a declined payment; only the payment status shows it.
  (id === 80 && loaded.order.payment_status === "declined");

/** A pharmacist by role whose license is missing or expired. */
const lacksLicense = (by: Worker): boolean => isPharmacistRole(by.role) && !isLicensedPharmacist(by);

export const cancelWithReason = async (deps: Deps, work: Work, reason: string): Promise<Order> => {
  const order = await workOrder(deps, work, (loaded) => {
    if (!isOpen(loaded.standing)) throw new WorkRefusal("not_now");
    return [cancelOutcome(loaded), { reason: checkedNote(reason) }];
  });
  await recheckDuplicates(deps, work.account_id, work.order_number, system);
  await settleAsked(deps, work.account_id, { order_number: work.order_number });
  await voidLabels(deps, work.account_id, work.order_number);
  return order;
};

/** Refunds the given amount, or all of the captured amount that remains. */
export const refundOrder = async (
  deps: Deps,
  work: Work,
  refund: { reason_id: number; amount_cents: number | null },
): Promise<Order> => {
  const order = await workOrder(deps, work, (loaded) => {
    requireStep(loaded, { event: "refund" }, actorOf(work.by));
    if (!orderStatusReasons.some(({ id }) => id === refund.reason_id)) throw new WorkRefusal("unknown_reason");
    const { captured_cents, refunded_cents } = loaded.order;
    const amount = refund.amount_cents ?? captured_cents - refunded_cents;
    if (!Number.isInteger(amount) || amount < 0) throw new WorkRefusal("nothing_to_refund");
    const decided = refundOutcome(loaded, refund.reason_id, amount);
    if ("problems" in decided) throw new WorkRefusal("nothing_to_refund");
    return [decided.outcome];
  });
  await settleAsked(deps, work.account_id, { order_number: work.order_number });
  return order;
};

export type Decided = readonly [Outcome, Partial<ChangeBy>?];

/**
 * Loads, decides, saves and audits. When two people take the same step at once, the second is refused because the step
 * is no longer possible.
 */
export async function workOrder(
  deps: Deps,
  work: Work,
  decide: (loaded: LoadedOrder, tx: Tx) => Decided | Promise<Decided>,
): Promise<Order> {
  try {
    return await transact(deps, async (tx) => {
      const loaded = await loadChangingOrder(deps, tx, work.account_id, work.order_number, "elsewhere");
      requireFree(deps, loaded, work);
      const [outcome, by] = await decide(loaded, tx);
      const { order } = await changeOrder(deps, tx, loaded, outcome, byWorker(work, by));
      await auditWork(deps, tx, work);
      if (by?.override !== undefined) await auditOverride(deps, tx, work, by.override);
      return order;
    });
  } catch (error) {
    throw error instanceof ImpossibleStep ? impossible(error, work.by) : error;
  }
}

/** The next stage is someone else's work, so the claim ends with the step. */
export const byWorker = ({ by: worker }: Work, by: Partial<ChangeBy> = {}): ChangeBy => ({
  actor: actorOf(worker),
  ...by,
  columns: { claimed_by: null, claimed_until: null, ...by.columns },
});

/** Records who took which step on the order, in the transaction of the step itself; of an assignment, also to whom. */
export async function auditWork(
  deps: Deps,
  tx: Queryable,
  { account_id, order_number, by, request_id, event }: Work,
  assignee?: string,
) {
  if (request_id === undefined) return;
  const action = event === undefined ? ("order_worked" as const) : workAudit[event];
  const subject = assignee === undefined ? order_number : `${order_number} person ${assignee}`;
  const entry = { account_id, action, subject };
  await writeAudit({ db: tx, now: deps.now }, by, entry, request_id);
}

/** The audit log shows what was overridden, the code and the license; the text stays sealed in the order's notes. */
async function auditOverride(
  deps: Deps,
  tx: Queryable,
  { account_id, order_number, by, request_id }: Work,
  { exception_id, code, license }: NonNullable<ChangeBy["override"]>,
): Promise<void> {
  const subject = `${order_number} exception ${exception_id} ${code} license ${license}`;
  const entry = { account_id, action: "exception_overridden" as const, subject };
  await writeAudit({ db: tx, now: deps.now }, by, entry, request_id ?? null);
}

export const impossible = ({ because }: ImpossibleStep, by: Worker) =>
  new WorkRefusal(because === "role" ? roleRefusal(by) : "not_now");

/** Why the person's permissions do not allow a step. Only a pharmacist's steps are closed to a pharmacist or lead. */
export const roleRefusal = (by: Worker): WorkRefusalKey => (lacksLicense(by) ? "license_needed" : "not_your_role");

/** Refuses if another person has claimed the order, or if it changed since the person saw it. */
export function requireFree(deps: Deps, { row, revision }: LoadedOrder, work: Pick<Work, "by" | "revision">): void {
  if (work.revision !== undefined && work.revision !== revision) throw new WorkRefusal("stale");
  const { claimed_by, claimed_until } = row;
  if (claimed_by === null || claimed_by === work.by.person_id || claimed_until! <= deps.now()) return;
  throw new WorkRefusal("claimed");
}

/** Checks the transition table before any other condition. */
export function requireStep({ standing }: LoadedOrder, step: Step, actor: Actor): void {
  apply(standing, step, actor);
}

/** An order can be on hold for longer than its lots last, and a lot can be recalled after the fill. */
export async function requireGoodLots(refuseRecalled: LotCheck, loaded: LoadedOrder): Promise<void> {
  const packages = packagesOf(loaded);
  for (const { item_id, expires_on } of packages) {
    const refused = shortLife(expires_on, itemDays(loaded, item_id), loaded.rules.today);
    if (refused !== null) throw new WorkRefusal(refused);
  }
  await refuseRecalled(packages);
}

/** The lots that the order's items are filled from. */
export const packagesOf = ({ order, details }: LoadedOrder) =>
  details.flatMap(({ item_id, lots }) => {
    const { sku } = order.items.find((one) => one.item_id === item_id)!;
    return lots.map(({ lot, expires_on }) => ({ item_id, sku, lot, expires_on }));
  });

function requireEveryItem({ order }: LoadedOrder, named: readonly { item_id: number }[]): void {
  const ids = new Set(named.map(({ item_id }) => item_id));
  for (const { item_id } of named) {
    if (!order.items.some((item) => item.item_id === item_id)) throw new WorkRefusal("unknown_item");
  }
  if (ids.size !== named.length || ids.size !== order.items.length) throw new WorkRefusal("every_item");
}
