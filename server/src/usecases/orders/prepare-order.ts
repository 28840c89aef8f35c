import type { Address, Environment } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import type { Formulary } from "../../domain/catalogue/formulary.ts";
import { labelBytes } from "../../domain/orders/custom-label.ts";
import { type OrderDraft, readOrder } from "../../domain/orders/order-draft.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import type { Verdict } from "../../domain/values/address/verdict.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import type { Problem } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import type { AuditCaller } from "../operations/audit-partner.ts";
import type { PortalActor } from "../operations/audit-portal.ts";

export type Orderer = {
  account_id: string;
  environment: Environment;
  clock_offset_s: number;
  /** Shown in the order's history; defaults to the partner. */
  actor?: "partner" | "system";
  /** The request, for the audit log; absent for a job. */
  asked?: AuditCaller & { operation: "createOrder" | "createReorder" | "fillRefillNow" };
  /** The person in the portal who orders, for the audit log. */
  person?: PortalActor;
};
/** The same body within this time counts as an accidental resubmission. */
export const DUPLICATE_WINDOW_MS = 60_000;

/** An order that was read and whose address was checked. The remaining steps need the database. */
export type PreparedOrder = {
  orderer: Orderer;
  draft: OrderDraft;
  shape: Problem[];
  sent_verdict: Verdict | null;
  fingerprint: Buffer;
  /** With the prices that the order pays. */
  formulary: Formulary;
  /** With the prices of the catalogue. */
  listed: Formulary;
};

/** Reads the body and asks the validator. The validator may be remote, so never call this in a transaction. */
export async function prepareOrder(
  deps: Deps,
  orderer: Orderer,
  body: SentFields,
  /** The request as a text. Equal requests give equal texts. */
  canonicalOf: () => string,
  now: Date,
  /** Ship-to address if the body has none: the address of the order that is repeated. */
  address: Address | null = null,
): Promise<PreparedOrder> {
  const today = dateIn(deps.config.TIME_ZONE, accountNow(now, orderer.clock_offset_s));
  const { draft: read, problems } = readOrder(body, { zips: deps.zips, today, address });
  if (read.payment.payer === "patient" && !takesPayments(deps, orderer.environment)) problems.push(NO_PAYMENTS);
  const draft = await withCleanLabel(deps, read);
  const catalogue = await readCatalogue(deps, orderer.account_id);
  // Quotes last in real time, also in a sandbox whose clock was moved.
  const formulary = catalogue.formularyAt(now);
  const sent_verdict =
    typeof draft.address === "string"
      ? null
      : await deps.address_validators[orderer.environment].validate(draft.address.address);
  // Sorting a huge body takes long, and no order with such problems is ever saved.
  const canonical = problems.length === 0 ? canonicalOf() : "";
  // Keyed, because an attacker could guess bodies and compare plain hashes.
  const fingerprint = deps.vault.layeredIndex(canonical, `order_fingerprint.fingerprint ${orderer.account_id}`);
  return { orderer, draft, shape: problems, sent_verdict, fingerprint, formulary, listed: catalogue.formulary };
}

/** The sandbox always simulates payments. */
const takesPayments = ({ providers }: Pick<Deps, "providers">, environment: Environment): boolean =>
  environment === "sandbox" || (providers.payments !== null && providers.payments !== "none");

const NO_PAYMENTS: Problem = {
  code: 42200,
  field: "payment.payer",
  problem: "not_allowed",
  allowed: ["partner"],
  message:
    "This pharmacy takes no card payments. Send payer partner, or ask the pharmacy to connect a payment provider.",
};

/** Replaces the label that was sent by a clean copy. Without one, the check of the label refuses the order (42296). */
async function withCleanLabel(deps: Deps, draft: OrderDraft): Promise<OrderDraft> {
  const { label } = draft.shipping;
  const sent = label && labelBytes(label);
  if (label?.format == null || sent === null) return draft;
  const clean = await deps.documents.cleanLabel(label.format, Buffer.from(sent, "latin1"));
  return { ...draft, shipping: { ...draft.shipping, label: { ...label, data: clean?.toString("base64") ?? null } } };
}
