import {
  type Environment,
  environments,
  pharmacistRoles,
  reviewerRoles,
  type StaffRole,
  staffRoleNames,
} from "@pestle/contract";
import { refuse, StatusRefusal } from "../domain/values/refusals.ts";
import type { Admin } from "../usecases/accounts/partners-in-dashboard.ts";
import type { Work } from "../usecases/fulfillment/steps.ts";
import { orderNumber } from "./orders/orders.ts";
import { readQuery } from "./query.ts";
import type { Asked, WebCall } from "./web-api.ts";

export const everybody = staffRoleNames;
export const pharmacists = pharmacistRoles;
export const reviewers = reviewerRoles;
export const leads = ["lead", "admin"] as const;
export const admins = ["admin"] as const;

/** The person and the request, for the audit log. */
export const adminOf = ({ person, request }: WebCall): Admin => ({
  person_id: person.person_id,
  role: person.role,
  address: request.ip,
  request_id: request.id,
});

export const workerOf = ({ person, request }: WebCall): Work["by"] => ({
  person_id: person.person_id,
  role: person.role as StaffRole,
  license: person.license,
  address: request.ip,
});

/** Rejects malformed ids before querying. */
export function accountIn({ params }: WebCall): string {
  const { account_id = "" } = params;
  if (!/^[a-z0-9]{12}$/.test(account_id)) throw new StatusRefusal(404);
  return account_id;
}

export const orderIn = (call: WebCall) => ({ account_id: accountIn(call), order_number: orderNumber(call.params) });

export function numberIn({ params }: WebCall, name: string): number {
  const text = params[name] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new StatusRefusal(404);
  return Number(text);
}

export type Query = ReadonlyMap<string, string[]>;

/** Reads the query by the names that the route takes. A misspelled filter must not return everything. */
export const queryOf = <Name extends string>({ request }: Asked<Name>, ...names: NoInfer<Name>[]): Query =>
  readQuery(request.url, names);

/** One value of a query; an empty value counts as none. */
export function asked(query: Query, name: string, form: RegExp): string | null {
  const [text = ""] = query.get(name) ?? [];
  if (text === "") return null;
  return form.test(text) ? text : refuse(40003, name);
}

export function askedOne<Choice extends string>(query: Query, name: string, choices: readonly Choice[]): Choice | null {
  const text = asked(query, name, /^/);
  if (text === null) return null;
  return choices.find((choice) => choice === text) ?? refuse(40003, name);
}

export function askedNumber(query: Query, name: string): number | null {
  const text = asked(query, name, /^[1-9]\d{0,14}$/);
  return text === null ? null : Number(text);
}

export const askedEnvironment = (query: Query): Environment | null => askedOne(query, "environment", environments);
