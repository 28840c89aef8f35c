import type { Environment } from "../endpoints/oauth.ts";
import type { ChangeCode } from "../renewals.ts";
import type { Patient, ReceivedPrescription } from "../resources.ts";
import type { MaskedPatient } from "./dashboard-order.ts";
import type { ReviewAction, ReviewDeed } from "./review-actions.ts";

/** Reviews: prescriptions and messages that need a decision, under `/web/dashboard`. Times are ISO 8601. */

/**
 * GET /dashboard/reviews?all=true&environment=. Sentences are fixed texts without patient data. `more`: older reviews
 * exist beyond this page.
 */
export type DashboardReviews = { reviews: DashboardReview[]; more: boolean };
export type DashboardReview = {
  account_id: string;
  partner: string | null;
  environment: Environment;
  review_id: number;
  kind: string;
  says: string;
  reasons: { code: string; sentence: string }[];
  facts: Record<string, unknown>;
  intake_message_id: number | null;
  patient_id: string | null;
  prescription_id: number | null;
  created_at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  outcome: string | null;
  /** How it is closed: `POST …/reviews/{account_id}/{review_id}/{closed_by}`. */
  closed_by: "verdict" | "route" | "resolve";
  /** With `route`: the candidate accounts. */
  receivers: { account_id: string; partner: string | null }[];
};
/** POST …/reviews/{account_id}/{review_id}/resolve, …/verdict and …/route return `ReviewClosed`. */
export type VerdictRequest = { verdict: "accepted" | "rejected"; note?: string };
/**
 * POST …/reviews/{account_id}/{review_id}/resolve does what solves the review, and closes it. `note`, `method_id` or the
 * question are required if the action takes them (`reviewActions`). A question has the fields of `ChangeRequestInput`.
 */
export type ResolveReviewRequest = {
  action: ReviewDeed;
  note?: string;
  method_id?: number;
  code?: ChangeCode;
  reason?: string;
  service_reason?: string;
};
export type RouteReviewRequest = { to_account_id: string };
export type ReviewClosed = {
  closed: true;
  order_due_at?: string | null;
  prescription_id?: number | null;
  /** The order that the action made. */
  order_number?: string;
};
/** GET …/reviews/{account_id}/{review_id}: one review. The server audits the view. */
export type DashboardReviewPage = {
  review: DashboardReview;
  prescription: ReceivedPrescription | null;
  /** The patient, then possible matches. */
  patients: (MaskedPatient & { score: number | null })[];
  has_message: boolean;
  can_close: boolean;
  /** What this person can do about it now, the usual action first. */
  actions: ReviewAction[];
  /** For an order to make: the account's shipping methods. The product may not allow all of them. */
  methods: { method_id: number; name: string; allowed: boolean }[];
};
/** POST …/reviews/{account_id}/{review_id}/reveal, without a body. The server audits who asked. */
export type RevealedReview = { patients: Patient[] };
/** GET …/reviews/{account_id}/{review_id}/message (pharmacist, lead, admin). The server audits the view. */
export type RawMessage = {
  intake_message_id: number;
  format: "script" | "fhir" | "simulation";
  sender: string;
  sender_message_id: string;
  receiver: string | null;
  received_at: string;
  warnings: string[];
  text: string;
};
