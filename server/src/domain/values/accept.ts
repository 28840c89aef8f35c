/**
 * Whether an Accept header names application/json (spec, Cross-cutting 4). A wildcard does not name it, and `q=0`
 * refuses it.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return accept.split(",").some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "application/json" && !parameters.some((parameter) => /^q\s*=\s*0(\.0{0,3})?$/.test(parameter));
  });
}
