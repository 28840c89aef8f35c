import {
  type ActionField,
  type ActionRequest,
  actionKeys,
  actions,
  exceptionIds,
  isActionKey,
  type Order,
  type OrderAction,
} from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { WrongUsage } from "../errors.ts";
import { readObject } from "../files.ts";
import { openPartnerApi, type PartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";
import { fieldsOf, type JsonFields } from "../set-fields.ts";
import { NO_ORDER, ORDER, orderPath } from "./orders.ts";
import { actionRows, partnerOrderText } from "./partner-order-text.ts";

type ActOptions = PartnerOptions & { event?: string; exception?: string; set?: string[]; file?: string };

export const orderActCommands: readonly CommandRow[] = [
  {
    name: "orders actions",
    lists: "actions",
    summary: "list the actions available on an order, or all actions",
    argument: [ORDER[0], "the order (default: list every action)", { optional: true }],
    options: partnerOptions,
    examples: ["orders actions 7K2M9XQ4TB", "orders actions --json"],
    async run(options: PartnerOptions, order_number, env) {
      const api = await openPartnerApi(options, env);
      const { order_actions } = await api.request<{ order_actions: OrderAction[] }>("GET", "/order_actions");
      if (order_number === "") {
        const data = order_actions.map((action) => ({ ...action, offered_by: action.exceptions }));
        return { data: order_actions, text: actionRows(data) };
      }
      const order = await api.request<Order>("GET", orderPath(order_number), { missing: NO_ORDER });
      const data = offered(order, order_actions);
      return {
        data,
        text: data.length === 0 ? `No actions are available: the order is ${order.order_status}.` : actionRows(data),
      };
    },
  },
  {
    name: "orders act",
    summary: "perform an action on an order: resolve an exception, hold, cancel, refund",
    argument: ORDER,
    second_argument: ["event", `one of ${actionKeys.join(", ")}`, { words: actionKeys }],
    options: [
      [
        "--exception <id>",
        "the exception to act on (default: the first that offers the action)",
        { choices: exceptionIds.map(String) },
      ],
      ["--set <field=value...>", "the action's fields, including address.…"],
      ["--file <file>", "the fields as a JSON object (`-`: standard input)"],
      ...partnerOptions,
    ],
    examples: [
      "orders act 7K2M9XQ4TB release",
      "orders act 7K2M9XQ4TB update_email --set email=wren@patients.example",
      "orders act 7K2M9XQ4TB partial_refund --set reason_id=101 amount_cents=500",
    ],
    async run(options: ActOptions, order_number, env) {
      const { event = "", exception, set = [], file } = options;
      if (!isActionKey(event)) throw new WrongUsage(`The event must be one of ${actionKeys.join(", ")}.`);
      const body = {
        ...(file === undefined ? {} : readObject(file)),
        ...typedFields(actions[event].fields, fieldsOf(set)),
        event,
        ...(exception !== undefined && { exception_id: Number(exception) }),
      };
      return act(await openPartnerApi(options, env), order_number, body);
    },
  },
  {
    name: "orders cancel",
    summary: "cancel an order that has not shipped",
    argument: ORDER,
    options: partnerOptions,
    examples: ["orders cancel 7K2M9XQ4TB"],
    run: async (options: PartnerOptions, order_number, env) =>
      act(await openPartnerApi(options, env), order_number, { event: "cancel" }),
  },
  {
    name: "orders address",
    summary: "change an order's shipping address before it ships",
    argument: ORDER,
    options: [
      ["--file <file>", "the complete address as a JSON object (`-`: standard input)", { required: true }],
      ...partnerOptions,
    ],
    examples: ["orders address 7K2M9XQ4TB --file address.json"],
    async run({ file, ...options }: PartnerOptions & { file: string }, order_number, env) {
      const body = readObject(file);
      const api = await openPartnerApi(options, env);
      const path = `${orderPath(order_number)}/shipping_address` as const;
      const order = await api.request<Order>("PUT", path, { body, missing: NO_ORDER });
      return { data: order, text: partnerOrderText(order) };
    },
  },
];

async function act(api: PartnerApi, order_number: string, body: JsonFields) {
  const path = `${orderPath(order_number)}/partner_order_action_requests` as const;
  const taken = await api.request<ActionRequest>("POST", path, { body, missing: NO_ORDER });
  return { data: taken, text: partnerOrderText(taken.order) };
}

/** The actions that an open exception offers or the status allows. */
function offered(order: Order, all: readonly OrderAction[]) {
  return all.flatMap((action) => {
    const offered_by = order.exceptions
      .filter(({ order_actions }) => order_actions.some(({ event_key }) => event_key === action.event_key))
      .map(({ id }) => id);
    // The API lists On Hold even for actions that only some exceptions offer.
    const own = isActionKey(action.event_key) ? actions[action.event_key].order_statuses : action.order_statuses;
    const allowed = (own as readonly string[]).includes(order.order_status);
    return offered_by.length > 0 || allowed ? [{ ...action, offered_by }] : [];
  });
}

/** Converts typed text to a number where the action takes one. */
function typedFields(fields: readonly ActionField[], given: JsonFields): JsonFields {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const whole = fields.some((field) => field.name === name && field.type === "integer");
      return [name, whole && /^\d{1,9}$/.test(String(value)) ? Number(value) : value];
    }),
  );
}
