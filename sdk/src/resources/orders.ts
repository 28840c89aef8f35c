import type { ActionKey, actions } from "@pestle/contract/partner";
import type { Call, CallOptions, ChangeMethod, WriteOptions } from "../client.ts";
import type {
  ActionRequest,
  ActionRequestInput,
  AddressInput,
  HistoryEntry,
  Message,
  MessageInput,
  Order,
  OrderRequest,
  ReorderRequest,
} from "../generated/records.ts";
import { type Listing, listing, wholeList } from "../listing.ts";
import type { AnswerOf, QueryOf, Sent } from "../operations.ts";
import { findOrder, type Look, lookUpAfter } from "./find-order.ts";

export type OrderFilter = Omit<QueryOf<"listOrders">, "cursor">;
export type PageOptions = { limit?: number } & CallOptions;
/** The result of a dry run. */
export type DryRun = AnswerOf<"createOrder", 200>;

type FieldOf<Key extends ActionKey> = (typeof actions)[Key]["fields"][number];
type NameOf<Field> = Field extends { readonly name: infer Name extends keyof ActionRequestInput } ? Name : never;
type FieldsOf<Key extends ActionKey> = {
  [Name in NameOf<Extract<FieldOf<Key>, { readonly required: true }>>]-?: NonNullable<ActionRequestInput[Name]>;
} & { [Name in NameOf<Extract<FieldOf<Key>, { readonly required: false }>>]?: NonNullable<ActionRequestInput[Name]> };
/** An event with its fields. Without `exception_id`, it applies to the first open exception that offers it. */
export type OrderActionInput = {
  [Key in ActionKey]: { event: Key } & Pick<ActionRequestInput, "exception_id"> & FieldsOf<Key>;
}[ActionKey];

export type Orders = {
  /** Creates an order. See the README for how it handles a 409: it never resends without looking up the order. */
  create(order: Sent<OrderRequest>, options?: WriteOptions): Promise<Order>;
  /** Returns every problem and hold that `create` would, without creating an order. */
  dryRun(order: Sent<OrderRequest>, options?: WriteOptions): Promise<DryRun>;
  /** The newest order created from this request. Call it before you resend a request whose outcome is unknown. */
  find(order: Sent<OrderRequest>, options?: CallOptions): Promise<Order | undefined>;
  get(order_number: string, options?: CallOptions): Promise<Order>;
  /** Newest first. */
  list(filter?: OrderFilter, options?: CallOptions): Listing<Order, AnswerOf<"listOrders">>;
  /** Every change, newest first. */
  history(order_number: string, options?: PageOptions): Listing<HistoryEntry, AnswerOf<"listOrderHistory">>;
  /** Repeats an order, copying all fields you do not change. */
  reorder(order_number: string, changes?: Sent<ReorderRequest>, options?: WriteOptions): Promise<Order>;
  replaceAddress: ChangeMethod<[order_number: string, address: Sent<AddressInput>], Order>;
  /** Resolves an exception, holds, cancels or refunds. The response contains the updated order. */
  act(order_number: string, action: OrderActionInput, options?: WriteOptions): Promise<ActionRequest>;
  /** The action requests so far, newest first. */
  actionRequests(order_number: string, options?: CallOptions): Promise<ActionRequest[]>;
  /** The messages between you and the pharmacy about the order, newest first. */
  messages(order_number: string, options?: PageOptions): Listing<Message, AnswerOf<"listOrderMessages">>;
  /** Writes to the pharmacy. An answer (`in_reply_to`) to a question that holds the order ends that hold. */
  sendMessage(order_number: string, message: MessageInput, options?: WriteOptions): Promise<Message>;
  cancel(order_number: string, options?: WriteOptions): Promise<ActionRequest>;
  hold(order_number: string, options?: WriteOptions): Promise<ActionRequest>;
  release(order_number: string, options?: WriteOptions): Promise<ActionRequest>;
  /** Refunds the remaining amount, or part of it. */
  refund(
    order_number: string,
    refund: { reason_id: number; amount_cents?: number },
    options?: WriteOptions,
  ): Promise<ActionRequest>;
};

export function ordersOf(call: Call, look: Look): Orders {
  const get = (order_number: string, options?: CallOptions) => call("getOrder", { path: { order_number } }, options);
  const list = (filter: OrderFilter = {}, options?: CallOptions) =>
    listing(
      (cursor) => call("listOrders", { query: { ...filter, cursor } }, options),
      ({ orders }) => orders,
    );
  const act = (order_number: string, body: ActionRequestInput, options?: WriteOptions) =>
    call("requestOrderAction", { path: { order_number }, body }, options);
  const reads = { get, list };

  return {
    ...reads,
    act,
    create: (body, options) => {
      // The service names everything that is missing, so let it answer.
      const wanted = { ...body, patient_id: body?.patient?.patient_id };
      const post = (within: WriteOptions) => call("createOrder", { body }, within) as Promise<Order>;
      return lookUpAfter(post, async () => wanted, { ...look, ...reads }, options);
    },
    dryRun: (body, options) =>
      call("createOrder", { query: { dry_run: true }, body }, options) as Promise<AnswerOf<"createOrder", 200>>,
    find: async (body, options) => {
      const patient_id = body?.patient?.patient_id;
      // Without it, the search would go through the orders of all patients.
      if (typeof patient_id !== "string") throw new TypeError("orders.find needs patient.patient_id.");
      if (!Array.isArray(body.items)) throw new TypeError("orders.find needs items.");
      return findOrder({ ...body, patient_id }, list, options);
    },
    history: (order_number, { limit, ...options } = {}) =>
      listing(
        (cursor) => call("listOrderHistory", { path: { order_number }, query: { limit, cursor } }, options),
        ({ history }) => history,
      ),
    reorder: (order_number, body = {}, options) => {
      const post = (within: WriteOptions) => call("createReorder", { path: { order_number }, body }, within);
      const wanted = async (within: CallOptions) => {
        const { patient_id, reference, items } = await get(order_number, within);
        return {
          patient_id,
          reference: body.reference ?? reference,
          items: body.items ?? items,
          other_than: order_number,
        };
      };
      return lookUpAfter(post, wanted, { ...look, ...reads }, options);
    },
    replaceAddress: ((order_number, body, options) =>
      call("replaceOrderAddress", { path: { order_number }, body }, options)) as Orders["replaceAddress"],
    actionRequests: (order_number, options) =>
      wholeList(
        (cursor) => call("listOrderActionRequests", { path: { order_number }, query: { cursor } }, options),
        ({ partner_order_action_requests }) => partner_order_action_requests,
      ),
    messages: (order_number, { limit, ...options } = {}) =>
      listing(
        (cursor) => call("listOrderMessages", { path: { order_number }, query: { limit, cursor } }, options),
        ({ messages }) => messages,
      ),
    sendMessage: (order_number, body, options) => call("sendOrderMessage", { path: { order_number }, body }, options),
    cancel: (order_number, options) => act(order_number, { event: "cancel" }, options),
    hold: (order_number, options) => act(order_number, { event: "hold" }, options),
    release: (order_number, options) => act(order_number, { event: "release" }, options),
    refund: (order_number, refund, options) =>
      act(order_number, { event: refund.amount_cents === undefined ? "refund" : "partial_refund", ...refund }, options),
  };
}
