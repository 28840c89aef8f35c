import { operationAddresses } from "./generated/addresses.ts";
import type { Operations } from "./generated/records.ts";

/** The name of every operation of the partner API. */
export type PartnerOperation = keyof Operations;

/** An operation's input, derived from its row: the ids in its path, its query and its body. */
export type PathOf<Id extends PartnerOperation> = Operations[Id]["path"];
export type QueryOf<Id extends PartnerOperation> = Operations[Id]["query"];
export type BodyOf<Id extends PartnerOperation> = Sent<Operations[Id]["body"]>;
/** A body as you write it: null in an optional field means that you omit it. */
export type Sent<T> = T extends readonly (infer Entry)[]
  ? Sent<Entry>[]
  : T extends object
    ? { [Field in keyof T]: undefined extends T[Field] ? Sent<T[Field]> | null : Sent<T[Field]> }
    : T;
type AnswersOf<Id extends PartnerOperation> = Operations[Id]["answers"];
/** The response body, for one status if there are several. */
export type AnswerOf<
  Id extends PartnerOperation,
  Status extends keyof AnswersOf<Id> = keyof AnswersOf<Id>,
> = AnswersOf<Id>[Status];

/** The method of an operation and its path with the ids filled in. */
export function addressOf<Id extends PartnerOperation>(
  operation_id: Id,
  ids: PathOf<Id>,
): { method: (typeof operationAddresses)[Id][0]; path: `/${string}` } {
  const [method, path] = operationAddresses[operation_id];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = String((ids as Record<string, string | number | undefined>)[name] ?? "");
    // URL parsing resolves `.` and `..`, and an empty id changes the path: the request would go elsewhere.
    if (id === "" || id === "." || id === "..") throw new TypeError(`${name} must be an id.`);
    return encodeURIComponent(id);
  });
  return { method, path: `/v1${filled}` };
}
