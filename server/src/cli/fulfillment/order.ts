import { wholeNumber } from "@pestle/cli/arguments";
import { writePrivate } from "@pestle/cli/files";
import { minute } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import {
  type DocumentKind,
  documentKinds,
  exceptionIds,
  type Order,
  type OverrideCode,
  orderStatusReasons,
  overrideCodes,
  type SafetyKind,
  safetyKindNames,
  shipmentStatuses,
} from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { addNote, claimOrder, releaseClaim } from "../../usecases/fulfillment/claim-order.ts";
import { orderDocument } from "../../usecases/fulfillment/order-document.ts";
import { printOrder } from "../../usecases/fulfillment/parcels/print-order.ts";
import { addSafetyEntry, removeSafetyEntry } from "../../usecases/fulfillment/safety-entries.ts";
import { shipOrder } from "../../usecases/fulfillment/ship-order.ts";
import { showOrder } from "../../usecases/fulfillment/show-order.ts";
import {
  approveReview,
  cancelWithReason,
  completeFill,
  raiseException,
  refundOrder,
  rejectProduct,
  resolveException,
  verifyProduct,
  type Work,
} from "../../usecases/fulfillment/steps.ts";
import { trackByHand } from "../../usecases/fulfillment/track-shipments.ts";
import { loadStoredOrder } from "../../usecases/orders/read-orders.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { AS } from "../accounts/staff-session.ts";
import { centsOf, lotsOf, scansOf } from "./order-arguments.ts";
import { orderText, stepText } from "./order-text.ts";
import { type OrderOptions, withOrder } from "./work-session.ts";

const ORDER = ["order_number", "the order"] as const;
const ACCOUNT = ["--account <account_id>", "the account, from `pestle partner list`", { required: true }] as const;
const REASON = ["--reason <text>", "the reason, on one line; stored encrypted", { required: true }] as const;
const EXCEPTION = ["--exception <id>", "the exception", { required: true, choices: exceptionIds.map(String) }] as const;
const documents: Record<DocumentKind, string> = {
  label: "the shipping label, which keeps its tracking number when it is printed again",
  prescription: "the prescription label for an item",
  leaflet: "the patient leaflet for an item",
  slip: "the packing slip",
};
const TYPED = "7K2M9XQ4TB --account 3f9k2m8x1q7z";

type Given = OrderOptions & Record<string, string | undefined> & { lot: string[]; scan: string[] };

/** One step of pharmacy work. The use case decides who can take it, and when. */
const step = (
  verb: string,
  summary: string,
  options: NonNullable<CommandRow["options"]>,
  typed: string,
  work: (deps: Deps, work: Work, given: Given) => Promise<unknown>,
): CommandRow => ({
  name: `order ${verb}`,
  summary,
  argument: ORDER,
  options: [ACCOUNT, AS, ...options],
  examples: [`order ${verb} ${TYPED}${typed}`],
  run: (given, order_number, env) =>
    withOrder(env, given as Given, order_number, async (deps, named) => {
      await work(deps, named, given as Given);
      const { order, standing } = await stored(deps, named);
      const { exceptions, shipments } = order;
      const data = {
        order_number: order.order_number,
        order_status: order.order_status,
        state: standing.state,
        exceptions: exceptions.map(({ id }) => id),
        tracking_no: shipments[0]?.tracking_no ?? null,
      };
      return { data, text: stepText(data) };
    }),
});

const stored = async (deps: Deps, { account_id, order_number }: Work) =>
  (await withKeysOfNow(deps, () => loadStoredOrder(deps, account_id, order_number)))!;
const itemsOf = async (deps: Deps, work: Work): Promise<Pick<Order["items"][number], "item_id">[]> =>
  (await withKeysOfNow(deps, () => loadStoredOrder(deps, work.account_id, work.order_number)))?.order.items ?? [];

export const orderCommands: readonly CommandRow[] = [
  {
    name: "order show",
    summary: "show an order: state, open exceptions, safety findings and history",
    argument: ORDER,
    options: [ACCOUNT, AS, ["--reveal", "also show the patient's name and address"]],
    examples: [`order show ${TYPED}`],
    run: (given, order_number, env) =>
      withOrder(env, given as Given, order_number, async (deps, work) => {
        const data = await showOrder(deps, work, given["reveal"] === true);
        return { data, text: orderText(data) };
      }),
  },
  step("approve", "approve the review of an order, so that it can be filled (pharmacist)", [], "", (deps, work) =>
    approveReview(deps, work),
  ),
  step(
    "fill",
    "record the lots an order was filled from",
    [
      [
        "--lot <item=lot:expiry...>",
        "each item's lot and expiry, or `none` for a product without a lot; omit `1=` if there is only one item; for several lots of an item, one each with `:units`",
        { required: true },
      ],
    ],
    " --lot 1=L77A:2028-05-31",
    async (deps, work, { lot }) => completeFill(deps, work, lotsOf(lot, await itemsOf(deps, work))),
  ),
  step(
    "check",
    "verify the filled products by scanning the packages (a second pharmacist)",
    [
      [
        "--scan <item=code...>",
        "each item's NDC from the package, or its SKU; one for each lot of the item, with `@lot` if the code has none",
        { required: true },
      ],
    ],
    " --scan 1=70999-0101-30",
    async (deps, work, { scan }) => verifyProduct(deps, work, scansOf(scan, await itemsOf(deps, work))),
  ),
  step(
    "reject",
    "reject the filled products and send the order back to filling (pharmacist)",
    [REASON],
    ' --reason "Tablets are chipped."',
    (deps, work, { reason }) => rejectProduct(deps, work, reason!),
  ),
  step(
    "ship",
    "charge the payment and hand a packed order to the carrier",
    [["--tracking-no <number>", "with CARRIER=manual: the number of the label that your own software made"]],
    "",
    async (deps, work, { trackingNo: tracking_no }) => {
      if (tracking_no !== undefined) await printOrder(deps, work, { tracking_no });
      return shipOrder(deps, work);
    },
  ),
  step(
    "track",
    "record a carrier scan for a parcel",
    [
      ["--status <status>", "the new parcel status", { required: true, choices: shipmentStatuses }],
      ["--description <text>", "in the carrier's words, without a name or an address", { required: true }],
    ],
    ' --status lost --description "Trace closed: not found."',
    (deps, work, { status, description }) => trackByHand(deps, work, status as never, description!),
  ),
  step(
    "raise",
    "put an order on hold",
    [EXCEPTION, REASON],
    ' --exception 69 --reason "Twice daily or every other day?"',
    (deps, work, { exception, reason }) => raiseException(deps, work, Number(exception) as never, reason!),
  ),
  step(
    "resolve",
    "resolve an exception because its cause is gone, or override it (69, 70, 72, 74 and 75: a pharmacist, with a code)",
    [
      EXCEPTION,
      REASON,
      [
        "--code <code>",
        "why a pharmacist overrides it; the reason then has at least 10 characters",
        { choices: overrideCodes },
      ],
    ],
    ' --exception 75 --code prescriber_consulted --reason "Prescriber called, dose is intended."',
    (deps, work, { exception, reason, code }) =>
      resolveException(deps, work, Number(exception) as never, reason!, (code as OverrideCode | undefined) ?? null),
  ),
  step(
    "add-fact",
    "record an allergy, medication or condition of the order's patient",
    [
      ["--kind <kind>", "what it is", { required: true, choices: safetyKindNames }],
      ["--text <text>", "its name, on one line; stored encrypted", { required: true }],
    ],
    ' --kind allergy --text "penicillin"',
    (deps, work, { kind, text }) => addSafetyEntry(deps, work, kind as SafetyKind, text!),
  ),
  step(
    "remove-fact",
    "remove an allergy, medication or condition; the record keeps it with the reason (pharmacist)",
    [["--entry <entry_id>", "the entry, from `pestle order show --reveal`", { required: true }], REASON],
    ' --entry 2 --reason "The patient stopped taking it."',
    (deps, work, { entry, reason }) => removeSafetyEntry(deps, work, wholeNumber(entry!, "--entry"), reason!),
  ),
  step(
    "cancel",
    "cancel an order that has not shipped",
    [REASON],
    ' --reason "The practice asked for it."',
    (deps, work, { reason }) => cancelWithReason(deps, work, reason!),
  ),
  step(
    "refund",
    "refund an order: the remaining amount, or a part of it",
    [
      [
        "--reason-id <id>",
        `the reason: ${orderStatusReasons.map(({ id, name }) => `${id} ${name}`).join(", ")}`,
        { required: true, choices: orderStatusReasons.map(({ id }) => String(id)) },
      ],
      ["--amount <cents>", "refund this amount (default: the remaining amount)"],
    ],
    " --reason-id 102",
    (deps, work, { reasonId, amount }) =>
      refundOrder(deps, work, { reason_id: Number(reasonId), amount_cents: centsOf(amount) }),
  ),
  {
    name: "order claim",
    summary: "claim an order so that only you work on it; a lead can take it over",
    argument: ORDER,
    options: [ACCOUNT, AS],
    examples: [`order claim ${TYPED}`],
    run: (given, order_number, env) =>
      withOrder(env, given as Given, order_number, async (deps, work) => {
        const { claimed_until } = await claimOrder(deps, work);
        const data = { order_number: work.order_number, claimed_until };
        return { data, text: `You have this order until ${minute(claimed_until)}, or until you finish the step.` };
      }),
  },
  {
    name: "order release",
    summary: "release an order that you claimed",
    argument: ORDER,
    options: [ACCOUNT, AS],
    examples: [`order release ${TYPED}`],
    run: (given, order_number, env) =>
      withOrder(env, given as Given, order_number, async (deps, work) => {
        const released = (await releaseClaim(deps, work)) > 0;
        const data = { order_number: work.order_number, released };
        return { data, text: released ? "Released." : "You had not claimed it." };
      }),
  },
  {
    name: "order note",
    summary: "add a note to an order; stored encrypted",
    argument: ORDER,
    options: [ACCOUNT, AS, ["--text <text>", "one line", { required: true }]],
    examples: [`order note ${TYPED} --text "Called the practice, waiting for an answer."`],
    run: (given, order_number, env) =>
      withOrder(env, given as Given, order_number, async (deps, work) => {
        await addNote(deps, work, String(given["text"]));
        return { data: { order_number: work.order_number }, text: "Note added." };
      }),
  },
  {
    name: "order document",
    summary: "save an order's document to a file: labels, leaflet, packing slip",
    argument: ORDER,
    options: [
      ACCOUNT,
      AS,
      [
        "--kind <kind>",
        Object.entries(documents)
          .map(([kind, what]) => `${kind}: ${what}`)
          .join("; "),
        { required: true, choices: documentKinds },
      ],
      ["--item <item_id>", "the item, if the order has several"],
      ["--out <file>", "the file to write; only you can read it", { required: true }],
    ],
    examples: [
      `order document ${TYPED} --kind prescription --out label.pdf`,
      `order document ${TYPED} --kind leaflet --item 2 --out leaflet.pdf`,
    ],
    run: (given, order_number, env) =>
      withOrder(env, given as Given, order_number, async (deps, work) => {
        const { kind, item, out } = given as { kind: DocumentKind; item?: string; out: string };
        const item_id = item === undefined ? null : wholeNumber(item, "--item");
        // A label is made when someone prints it first.
        if ((kind === "label" || kind === "slip") && (await stored(deps, work)).standing.state === "Filling/pack") {
          await printOrder(deps, work);
        }
        const { format, bytes } = await orderDocument(deps, work, kind, item_id);
        writePrivate(out, bytes);
        const data = { order_number: work.order_number, kind, format, file: out, bytes: bytes.length };
        return { data, text: `Wrote ${out} (${format}, ${bytes.length} bytes).` };
      }),
  },
];
