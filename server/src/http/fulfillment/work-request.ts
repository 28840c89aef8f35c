import {
  type AddressInput,
  type BulkRequest,
  bulkEvents,
  type ExceptionId,
  isExceptionId,
  labelFormats,
  MOST_BULK_ORDERS,
  MOST_ITEM_LOTS,
  ORDER_NUMBER_PATTERN,
  overrideCodes,
  shipmentStatuses,
  type WorkEvent,
  type WorkRequest,
  workEvents,
} from "@pestle/contract";
import { refuse } from "../../domain/values/refusals.ts";
import type { JsonObject } from "../body.ts";
import {
  amountField,
  choiceField,
  listField,
  objectField,
  optionalText,
  optionalWhole,
  textField,
  wholeField,
} from "../body-fields.ts";

const MOST_ITEMS = 100;
const LONGEST_CODE = 200;
/** A file of 512 kB in base64. */
const LONGEST_LABEL = 700_000;

/** The fields of each event, in addition to `event` and `revision`. */
const fields: { [Event in WorkEvent]?: (body: JsonObject) => Record<string, unknown> } = {
  complete_fill: (body) => ({
    items: listField(body, "items", MOST_ITEMS, (item) => ({
      item_id: wholeField(item, "item_id"),
      lot: optionalText(item, "lot", LONGEST_CODE) ?? null,
      lot_expires_on: optionalText(item, "lot_expires_on", LONGEST_CODE) ?? null,
      ...(item["lots"] !== undefined && {
        lots: listField(item, "lots", MOST_ITEM_LOTS, (one) => ({
          lot: textField(one, "lot", LONGEST_CODE),
          lot_expires_on: textField(one, "lot_expires_on", LONGEST_CODE),
          units: amountField(one, "units"),
        })),
      }),
    })),
  }),
  verify_product: (body) => ({
    scans: listField(body, "scans", MOST_ITEMS, (scan) => ({
      item_id: wholeField(scan, "item_id"),
      code: textField(scan, "code", LONGEST_CODE),
      lot: optionalText(scan, "lot", LONGEST_CODE) ?? null,
    })),
  }),
  print: (body) => {
    if (body["entered"] === undefined || body["entered"] === null) return {};
    const entered = objectField(body, "entered");
    const tracking_no = textField(entered, "tracking_no", LONGEST_CODE);
    if (entered["label"] === undefined || entered["label"] === null) return { entered: { tracking_no } };
    const label = objectField(entered, "label");
    const data = textField(label, "data", LONGEST_LABEL);
    return { entered: { tracking_no, label: { format: choiceField(label, "format", labelFormats), data } } };
  },
  assign: (body) => ({ person_id: textField(body, "person_id", 100) }),
  reject_product: withReason,
  cancel: withReason,
  note: withReason,
  track: (body) => ({
    status: choiceField(body, "status", shipmentStatuses),
    description: optionalText(body, "description", 200) ?? "Reported by the carrier.",
  }),
  raise_exception: (body) => ({ exception_id: exceptionField(body), ...withReason(body) }),
  resolve: (body) => ({
    exception_id: exceptionField(body),
    ...withReason(body),
    ...(body["code"] !== undefined && body["code"] !== null && { code: choiceField(body, "code", overrideCodes) }),
  }),
  // The address follows the same rules as a partner's.
  update_address: (body) => ({ address: objectField(body, "address") as AddressInput }),
  refund: (body) => {
    const amount_cents = optionalWhole(body, "amount_cents");
    return { reason_id: wholeField(body, "reason_id"), ...(amount_cents !== undefined && { amount_cents }) };
  },
};

/** Reads a work request on an order. */
export function readWork(body: JsonObject): WorkRequest {
  const event = choiceField(body, "event", workEvents);
  return { event, ...revisionOf(body), ...fields[event]?.(body) } as WorkRequest;
}

export function readBulk(body: JsonObject): BulkRequest {
  const event = choiceField(body, "event", bulkEvents);
  const orders = listField(body, "orders", MOST_BULK_ORDERS, (order) => ({
    account_id: textField(order, "account_id", 12),
    order_number: orderNumberField(order),
    ...revisionOf(order),
  }));
  return { event, orders, ...fields[event]?.(body) } as BulkRequest;
}

function orderNumberField(order: JsonObject): string {
  const order_number = textField(order, "order_number", 10);
  return new RegExp(ORDER_NUMBER_PATTERN).test(order_number) ? order_number : refuse(42200, "order_number");
}

function revisionOf(body: JsonObject): { revision?: number } {
  const revision = optionalWhole(body, "revision");
  return revision === undefined ? {} : { revision };
}

function withReason(body: JsonObject): { reason: string } {
  return { reason: textField(body, "reason") };
}

function exceptionField(body: JsonObject): ExceptionId {
  const id = wholeField(body, "exception_id");
  return isExceptionId(id) ? id : refuse(42200, "exception_id");
}
