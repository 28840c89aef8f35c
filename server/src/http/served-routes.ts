/** A route as the router has it: `:name` is one segment, and a final `*` the rest of the path. */
export type ServedRoute = {
  method: string;
  url: string;
  /** For a wildcard: whether its path has something behind it. */
  exists: ((rest: string) => boolean) | undefined;
};

const ORDER = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const LONGEST_PATH = 2_000;

/** The methods of all routes that match this address, in a fixed order; none for an unknown path. */
export function allowedMethods(routes: readonly ServedRoute[], url: string): string[] {
  const segments = segmentsOf(url);
  if (segments === undefined) return [];
  const found = new Set(routes.filter((route) => matches(route, segments)).map(({ method }) => method));
  return ORDER.filter((method) => found.has(method));
}

/** Reads an address as the router does: an escaped slash separates nothing. */
function segmentsOf(url: string): string[] | undefined {
  const path = url.replace(/^https?:\/\/[^/?#]*(?=\/)/i, "").replace(/[?#].*$/s, "");
  if (path.length > LONGEST_PATH) return undefined;
  try {
    return path.split("/").map(decodeURI);
  } catch {
    return undefined;
  }
}

function matches({ url, exists }: ServedRoute, segments: readonly string[]): boolean {
  const pattern = url.split("/");
  const open = pattern.at(-1) === "*";
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? segments.length <= fixed.length : segments.length !== fixed.length) return false;
  if (!fixed.every((part, i) => (part.startsWith(":") ? segments[i] !== "" : part === segments[i]))) return false;
  return !open || (exists?.(segments.slice(fixed.length).join("/")) ?? true);
}
