import type {
  DashboardReviewPage,
  ResolveReviewRequest,
  ReviewClosed,
  RouteReviewRequest,
  VerdictRequest,
} from "@pestle/contract";
import type { Change } from "../../app/use-change.ts";

export type Sent = VerdictRequest | RouteReviewRequest | ResolveReviewRequest;
export type Close = Change<[body: Sent, said: string], ReviewClosed>;
/** What the form of a decision gets. */
export type DecisionForm = { page: DashboardReviewPage; close: Close };
