import { changeCodeNames, type ResolveReviewRequest, reviewDeeds } from "@pestle/contract";
import { formatOf } from "../../formats/formats.ts";
import { closeByRoute, closeByVerdict } from "../../usecases/intake/close-review-in-dashboard.ts";
import { readRawMessage, readReview, readReviews, revealReview } from "../../usecases/intake/read-reviews.ts";
import { solveReview } from "../../usecases/intake/solve-review.ts";
import { json } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { choiceField, optionalText, optionalWhole, textField } from "../body-fields.ts";
import {
  accountIn,
  askedEnvironment,
  askedOne,
  everybody,
  numberIn,
  queryOf,
  reviewers,
  workerOf,
} from "../dashboard-route.ts";
import type { WebCall, WebRoute } from "../web-api.ts";

const ENTRY = "/dashboard/reviews/:account_id/:review_id";
const keyIn = (call: WebCall) => ({ account_id: accountIn(call), review_id: numberIn(call, "review_id") });

function solutionIn(body: JsonObject): ResolveReviewRequest {
  const note = optionalText(body, "note");
  const method_id = optionalWhole(body, "method_id");
  const reason = optionalText(body, "reason");
  const service_reason = optionalText(body, "service_reason", 2);
  return {
    action: choiceField(body, "action", reviewDeeds),
    ...(note !== undefined && { note }),
    ...(method_id !== undefined && { method_id }),
    ...(body["code"] !== undefined && { code: choiceField(body, "code", changeCodeNames) }),
    ...(reason !== undefined && { reason }),
    ...(service_reason !== undefined && { service_reason }),
  };
}

/** The review queue: uncertain patient matches, questionable prescriptions and unreadable messages. */
export const reviewRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/reviews",
    roles: everybody,
    handler: async (deps, call) => {
      const query = queryOf(call, "all", "environment");
      const all = askedOne(query, "all", ["true", "false"]) === "true";
      return json(200, await readReviews(deps, askedEnvironment(query), all));
    },
  },
  {
    method: "GET",
    path: ENTRY,
    roles: everybody,
    handler: async (deps, call) => json(200, await readReview(deps, call.person, keyIn(call), call.request.id)),
  },
  {
    method: "POST",
    path: `${ENTRY}/reveal`,
    roles: reviewers,
    handler: async (deps, call) => json(200, await revealReview(deps, call.person, keyIn(call), call.request.id)),
  },
  {
    method: "GET",
    path: `${ENTRY}/message`,
    roles: reviewers,
    handler: async (deps, call) => json(200, await readRawMessage(deps, call.person, keyIn(call), call.request.id)),
  },
  {
    method: "POST",
    path: `${ENTRY}/resolve`,
    roles: reviewers,
    handler: async (deps, call) => {
      const by = { ...workerOf(call), email: call.person.email };
      return json(200, await solveReview(deps, by, keyIn(call), solutionIn(call.body), call.request.id));
    },
  },
  {
    method: "POST",
    path: `${ENTRY}/verdict`,
    roles: reviewers,
    handler: async (deps, call) => {
      const note = optionalText(call.body, "note");
      const verdict = choiceField(call.body, "verdict", ["accepted", "rejected"]);
      const given = { verdict, ...(note !== undefined && { note }) };
      return json(200, await closeByVerdict(deps, call.person, keyIn(call), given, call.request.id));
    },
  },
  {
    method: "POST",
    path: `${ENTRY}/route`,
    roles: reviewers,
    handler: async (deps, call) => {
      const to_account_id = textField(call.body, "to_account_id", 12);
      return json(
        200,
        await closeByRoute(deps, formatOf, call.person, keyIn(call), { to_account_id }, call.request.id),
      );
    },
  },
];
