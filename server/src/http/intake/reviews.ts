import { formatOf } from "../../formats/formats.ts";
import { closeByOutcome, closeByRoute, closeByVerdict } from "../../usecases/intake/close-review-in-dashboard.ts";
import { readRawMessage, readReview, readReviews, revealReview } from "../../usecases/intake/read-reviews.ts";
import { json } from "../answer.ts";
import { choiceField, optionalText, textField } from "../body-fields.ts";
import { accountIn, askedEnvironment, askedOne, everybody, numberIn, queryOf, reviewers } from "../dashboard-route.ts";
import type { WebCall, WebRoute } from "../web-api.ts";

const ENTRY = "/dashboard/reviews/:account_id/:review_id";
const keyIn = (call: WebCall) => ({ account_id: accountIn(call), review_id: numberIn(call, "review_id") });

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
      const outcome = textField(call.body, "outcome");
      return json(200, await closeByOutcome(deps, call.person, keyIn(call), outcome, call.request.id));
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
