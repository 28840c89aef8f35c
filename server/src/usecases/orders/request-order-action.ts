import type { ActionRequest } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import { orderPlace } from "../../db/orders/orders.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import { readAction } from "../../domain/orders/action-request.ts";
import { type Actor, partnerBy } from "../../domain/orders/order.ts";
import { decideAction, whereItFails } from "../../domain/orders/order-actions.ts";
import { RequestProblems, refuse, refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { notifyFollowers } from "../fulfillment/people/notify.ts";
import { readPrescription } from "../intake/written.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { auditPortal, type PortalActor } from "../operations/audit-portal.ts";
import { type FinishedAnswer, type PartnerCall, write, writeAnswer } from "../write.ts";
import { loadChangingOrder, seenIn } from "./load-order.ts";
import type { Orderer } from "./prepare-order.ts";
import { recheckDuplicates, recheckPatient } from "./recheck-orders.ts";
import { changeOrder } from "./save-change.ts";
import { settleAsked, settlePayment } from "./settle-payment.ts";

/** `settles`: the payment work to do after the commit. `frees`: the patient's other orders that the action concerns. */
type Acted = {
  request: ActionRequest;
  settles: "payment" | "entries" | null;
  frees: "duplicates" | { patient_key: number } | null;
};

/** An action on an order, sent by the partner's program. */
export const requestOrderAction = (
  deps: Deps,
  call: PartnerCall,
  order_number: string,
  sent: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(deps, call.key, 201, {
    ...actionWrite(deps, call.grant, order_number, sent, call),
    answer: ({ request }) => request,
  });

/** The same action, taken by a person in the portal and audited in the same transaction. */
export async function requestActionInPortal(
  deps: Deps,
  orderer: Orderer,
  by: PortalActor,
  order_number: string,
  sent: SentFields,
): Promise<ActionRequest> {
  const { attempt, ...plan } = actionWrite(deps, orderer, order_number, sent);
  const { request } = await write(deps, {
    ...plan,
    attempt: async (tx, prepared) => {
      const acted = await attempt(tx, prepared);
      await auditPortal(tx, deps.now(), by, "order_action_requested", order_number);
      return acted;
    },
  });
  return request;
}

const actionWrite = (
  deps: Deps,
  { account_id, environment }: Orderer,
  order_number: string,
  sent: SentFields,
  call?: PartnerCall,
) => ({
  prepare: () => prepareAction(deps, { account_id, environment }, order_number, sent),
  attempt: (db: Database, prepared: PreparedAction) => act(deps, db, account_id, order_number, prepared, call),
  settle: (acted: Acted) => settleAction(deps, account_id, acted, partnerBy(call)),
});

type PreparedAction = Awaited<ReturnType<typeof prepareAction>>;

/** Reads the request and asks the validator about the address in it, or about the order's own address. */
async function prepareAction(
  deps: Deps,
  { account_id, environment }: Pick<Orderer, "account_id" | "environment">,
  order_number: string,
  sent: SentFields,
) {
  const { action, problems } = readAction(sent, deps.zips);
  // The attempt compares: if the order's address changed in between, this suggestion does not apply.
  const own =
    action?.event === "accept_suggested_address"
      ? await withKeysOfNow(
          deps,
          async () => (await loadChangingOrder(deps, deps.db, account_id, order_number)).order.address,
        )
      : null;
  const address = action?.address?.address ?? own;
  const verdict = address && (await deps.address_validators[environment].validate(address));
  // Cache the catalogue here, so that an attempt does not read it inside its transaction.
  await readCatalogue(deps, account_id);
  return { action, problems, own, verdict };
}

async function act(
  deps: Deps,
  db: Database,
  account_id: string,
  order_number: string,
  { action, problems, own, verdict }: PreparedAction,
  call: PartnerCall | undefined,
): Promise<Acted> {
  const loaded = await loadChangingOrder(deps, db, account_id, order_number);
  // Problems with the order's state and with the request are reported together.
  refuseAll([...problems, ...(action === null ? [] : whereItFails(action, loaded, loaded.rules))]);
  const { event, exception_id, reason_id, amount_cents, prescription_id, item_id, token } = action!;
  const prescription =
    prescription_id === null
      ? null
      : ((await readPrescription({ db, vault: deps.vault }, account_id, prescription_id)) ?? null);
  if (own !== null && JSON.stringify(own) !== JSON.stringify(loaded.order.address)) refuse(42463, "event");
  const decided = decideAction({ action: action!, changing: loaded, rules: loaded.rules, verdict, prescription });
  if ("problems" in decided) throw new RequestProblems(decided.problems);
  const { outcome, settles } = decided;
  const place = orderPlace("payment_token_sealed", account_id, order_number);
  const changed = await changeOrder(deps, db, loaded, outcome, {
    actor: partnerBy(call),
    action_request: { event, exception_id, reason_id, amount_cents, prescription_id, item_id },
    ...(call && { audit: partnerEntry("requestOrderAction", call, seenIn(loaded)) }),
    ...(token !== null && {
      columns: {
        payment_token_sealed: bytes(deps.vault.seal(Buffer.from(token), place)),
        payment_attempt: loaded.row.payment_attempt + 1,
      },
    }),
  });
  // Someone may wait for the partner's word about a hold.
  if (loaded.standing.state === "On Hold")
    await notifyFollowers(db, { account_id, order_number, at: deps.now() }, null);
  const request: ActionRequest = {
    id: changed.action_request_id!,
    event,
    order_number,
    reason_id,
    created_at: loaded.rules.now.toISOString(),
    order: changed.order,
  };
  const asked = outcome.payments?.some(({ state }) => state === "asked") ?? false;
  const gives_back = event === "cancel" || event === "remove_item";
  const { patient_key } = loaded.row;
  return {
    request,
    settles: settles === "payment" ? "payment" : asked ? "entries" : null,
    frees: gives_back ? "duplicates" : event === "update_email" ? { patient_key } : null,
  };
}

function settleAction(deps: Deps, account_id: string, acted: Acted, actor: Actor): Promise<Acted> | undefined {
  const { request, settles, frees } = acted;
  if (settles === null && frees === null) return undefined;
  const { order_number } = request;
  return (async () => {
    if (frees === "duplicates") await recheckDuplicates(deps, account_id, order_number, actor);
    else if (frees !== null) await recheckPatient(deps, account_id, frees.patient_key, actor);
    if (settles === "entries") await settleAsked(deps, account_id, { order_number });
    if (settles !== "payment") return acted;
    return { ...acted, request: { ...request, order: await settlePayment(deps, account_id, order_number) } };
  })();
}
