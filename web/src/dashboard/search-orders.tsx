import { personFacts, type SearchHit, searchFacts } from "@pestle/contract";
import { api } from "../app/api.ts";
import type { PaletteHit, PaletteSearch } from "../app/shell/palette.tsx";
import { Badge } from "../ui/badge.tsx";
import { EnvironmentBadge, StatusBadge } from "../ui/order-badges.tsx";
import { say, sayName } from "../ui/words/say.tsx";
import { orderPath } from "./order-link.ts";
import { patientPath } from "./patient-link.ts";
import { reviewPath } from "./review-link.ts";

/** The Ctrl-K order search. */
export const searchOrders: PaletteSearch = {
  placeholder: say("Name, date of birth, phone, order, product, lot or tracking number"),
  hint: say(
    "Find a patient by last name, date of birth, phone number, email address or patient ID. Combine them to narrow the list: Moss 1/31/1980.",
  ),
  find: async (q, signal) => {
    const { hits, more } = await api("/dashboard/search", { method: "POST", body: { q }, signal });
    return { hits: hits.map(shown), more };
  },
};

function shown(hit: SearchHit): PaletteHit {
  const { account_id, partner, environment, order_number, order_status, stage, patient_initials, drug_names, by } = hit;
  const { review_id = null } = hit;
  return {
    key: `${account_id} ${order_number ?? hit.prescription_id} ${by}`,
    path:
      order_number !== null
        ? orderPath({ account_id, order_number })
        : review_id !== null
          ? reviewPath({ account_id, review_id })
          : patientPath(hit),
    icon: by === "tracking_no" ? "truck" : personFacts.includes(by) ? "person" : "list",
    title: (
      <>
        {order_number === null ? say("No order yet:") : <span className="mono">{order_number}</span>} {patient_initials}
        , {drug_names.join(", ") || partner}
      </>
    ),
    about: (
      <span className="row">
        <span>{say("by {fact}", { fact: sayName(searchFacts[by].name) })}</span>
        <EnvironmentBadge environment={environment} />
        {review_id !== null && <Badge tone="wait">{say("Needs review")}</Badge>}
        {order_status && <StatusBadge status={order_status} stage={stage} />}
      </span>
    ),
  };
}
