/**
 * Whether an Accept header names application/json (spec, Cross-cutting 4). A wildcard does not count, and `q=0`
 * excludes it.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  if (accept === "application/json") return true;
  return accept.split(",").some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "application/json" && !parameters.some((parameter) => /^q\s*=\s*0(\.0{0,3})?$/.test(parameter));
  });
}

/** Whether a Content-Type is this type in UTF-8. Ignores unrelated parameters. */
export function isTypeInUtf8(header: string | undefined, type: string): boolean {
  const [named, ...parameters] = (header ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((parameter) => /^charset\s*=/.test(parameter));
  return named === type && charsets.every((charset) => /^charset\s*=\s*("utf-8"|utf-8)$/.test(charset));
}

/** Weak comparison of an If-None-Match header (also lists and `*`) with an ETag (RFC 9110, 13.1.2). */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  const opaque = etag.replace(/^W\//, "");
  return (ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((candidate) => candidate.replace(/^W\//, "") === opaque);
}

/** Whether a Prefer header asks for an answer without a body (RFC 7240). Of two `return` preferences, the first counts. */
export function prefersMinimal(prefer: string | readonly string[] | undefined): boolean {
  if (prefer === undefined) return false;
  const preferences = [prefer].flat().join(",").split(",");
  const [wish] = preferences.flatMap((one) => /^\s*return\s*=\s*"?([a-z]+)"?\s*(?:;|$)/i.exec(one)?.[1] ?? []);
  return wish?.toLowerCase() === "minimal";
}
