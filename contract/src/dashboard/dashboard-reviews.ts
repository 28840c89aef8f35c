import type { Environment } from "../endpoints/oauth.ts";
import type { MedicationRequest, Patient } from "../resources.ts";
import type { MaskedPatient } from "./dashboard-order.ts";

/** What waits for a person before an order can come of it, below `/web/dashboard`. Times are ISO 8601. */

/**
 * GET /dashboard/reviews?all=true&environment=. Sentences are fixed: they tell nothing of a patient. `more`: there
 * are older ones than are told at once.
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
  /** With `route`: the accounts that it may be for. */
  receivers: { account_id: string; partner: string | null }[];
};
/** POST …/reviews/{account_id}/{review_id}/resolve, …/verdict and …/route; answered with `ReviewClosed`. */
export type ResolveReviewRequest = { outcome: string };
export type VerdictRequest = { verdict: "accepted" | "rejected"; note?: string };
export type RouteReviewRequest = { to_account_id: string };
export type ReviewClosed = { closed: true; order_due_at?: string | null; prescription_id?: number | null };
/** GET …/reviews/{account_id}/{review_id}: what is to be decided on. The view is written down. */
export type DashboardReviewPage = {
  review: DashboardReview;
  prescription: (Omit<MedicationRequest, "medication_dispenses"> & { acceptance: string }) | null;
  /** Whom it is about, and those who may be the same person. */
  patients: (MaskedPatient & { score: number | null })[];
  has_message: boolean;
  can_close: boolean;
};
/** POST …/reviews/{account_id}/{review_id}/reveal, which takes no fields. Written down with who asked. */
export type RevealedReview = { patients: Patient[] };
/** GET …/reviews/{account_id}/{review_id}/message (pharmacist, lead, admin). The view is written down. */
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
