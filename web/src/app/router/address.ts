/** The query string's values; every one is a text. */
export type Search = Readonly<Record<string, string>>;
/** A place below the app's base path. */
export type Address = { pathname: string; search: Search; href: string };

/** `href` of a path and a query string; the path may have a query string of its own. */
export function addressOf(path: string, search: Readonly<Record<string, unknown>> = {}): Address {
  const [before = "", query = ""] = path.split("?");
  const pathname = before.length > 1 && before.endsWith("/") ? before.slice(0, -1) : before || "/";
  const text = stringifySearch({ ...parseSearch(query), ...search });
  return { pathname, search: parseSearch(text), href: pathname + text };
}

/** Parses `?a=1&b=x`. */
const parseSearch = (search: string): Search => Object.fromEntries(new URLSearchParams(search));

function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString();
  return text === "" ? "" : `?${text}`;
}

export type Params = Readonly<Record<string, string>>;

/** The route of a path, such as `/order/$number`. A fixed segment goes before a parameter. */
export function matchRoute<Route extends { path: string }>(
  routes: readonly Route[],
  pathname: string,
): { route: Route; params: Params } | undefined {
  return routes
    .flatMap((route) => {
      const params = paramsOf(route.path.split("/"), pathname.split("/"));
      return params === undefined ? [] : [{ route, params }];
    })
    .sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0];
}

function paramsOf(wanted: readonly string[], given: readonly string[]): Params | undefined {
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = decoded(given[at]!);
    if (part.startsWith("$") && value !== "") params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
