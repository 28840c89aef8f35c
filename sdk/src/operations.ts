import { endpoints, type Static } from "@pestle/contract";
import type { Method } from "./transport.ts";

type PartnerRow = Extract<(typeof endpoints)[number], { readonly server: "partner" }>;
/** The name of every operation of the partner API. */
export type PartnerOperation = PartnerRow["operation_id"];
type RowOf<Id extends PartnerOperation> = Extract<PartnerRow, { readonly operation_id: Id }>;
type ResponsesOf<Id extends PartnerOperation> = RowOf<Id>["responses"];

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type StaticOf<Part> = Part extends { readonly schema: infer S } ? Static<S> : undefined;

/** An operation's input, derived from its row: the ids in its path, its query and its body. */
export type PathOf<Id extends PartnerOperation> = { readonly [Name in NamesIn<RowOf<Id>["path"]>]: string | number };
export type QueryOf<Id extends PartnerOperation> =
  RowOf<Id> extends { readonly query: infer Query }
    ? { -readonly [Name in keyof Query]?: Static<Query[Name]> | undefined }
    : Record<never, never>;
export type BodyOf<Id extends PartnerOperation> =
  RowOf<Id> extends { readonly body: infer Body } ? Sent<StaticOf<Body>> : undefined;
/** A body as you write it: null in an optional field means that you omit it. */
export type Sent<T> = T extends readonly (infer Entry)[]
  ? Sent<Entry>[]
  : T extends object
    ? { [Field in keyof T]: undefined extends T[Field] ? Sent<T[Field]> | null : Sent<T[Field]> }
    : T;
/** The response body, for one status if there are several. */
export type AnswerOf<
  Id extends PartnerOperation,
  Status extends keyof ResponsesOf<Id> = keyof ResponsesOf<Id>,
> = StaticOf<ResponsesOf<Id>[Status]>;

const partnerRows = endpoints.filter((row): row is PartnerRow => row.server === "partner");
const rowOf = new Map<string, PartnerRow>(partnerRows.map((row) => [row.operation_id, row]));

/** The method of an operation and its path with the ids filled in. */
export function addressOf<Id extends PartnerOperation>(
  operation_id: Id,
  ids: PathOf<Id>,
): { method: Method; path: `/${string}` } {
  const { method, path } = rowOf.get(operation_id)!;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = String((ids as Record<string, string | number | undefined>)[name] ?? "");
    // URL parsing resolves `.` and `..`, and an empty id changes the path: the request would go elsewhere.
    if (id === "" || id === "." || id === "..") throw new TypeError(`${name} must be an id.`);
    return encodeURIComponent(id);
  });
  return { method, path: `/v1${filled}` };
}
