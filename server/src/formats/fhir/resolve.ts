import { type Element, many, one, text } from "./elements.ts";

/** The resources of one message, with reference resolution. */
export interface Scope {
  /** In message order: each entry followed by its contained resources. */
  resources: Resource[];
  /** The one resource of these types that the reference points to; null if there is none or more than one. */
  resolve(reference: unknown, from: Resource, types: readonly string[]): Resource | null;
}

export interface Resource {
  type: string;
  element: Element;
  full_url: string | null;
  /** The resource that contains this one; `#` references resolve against it. */
  container: Resource | null;
}

/** Far more than one prescription needs. */
export const MAX_RESOURCES = 500;

/** Null if the message has more than MAX_RESOURCES. */
export function openScope(root: Element): Scope | null {
  const resources = resourcesOf(root);
  if (resources.length > MAX_RESOURCES) return null;
  const index = indexOf(resources);
  return {
    resources,
    resolve(reference, from, types) {
      const found = index.find(one(reference), from, types);
      return found !== null && types.includes(found.type) ? found : null;
    },
  };
}

function resourcesOf(root: Element): Resource[] {
  const entries =
    root.resourceType === "Bundle"
      ? many(root.entry)
          .filter((entry) => one(entry.request).method !== "DELETE")
          .flatMap((entry) => resourceOf(one(entry.resource), url(entry.fullUrl), null))
      : resourceOf(root, null, null);
  return entries.flatMap((entry) => [
    entry,
    ...many(entry.element.contained).flatMap((inner) => resourceOf(inner, null, entry)),
  ]);
}

function resourceOf(element: Element, full_url: string | null, container: Resource | null): Resource[] {
  const type = text(element.resourceType);
  return type === null ? [] : [{ type, element, full_url, container }];
}

/**
 * Maps a key to its resource, or to null if two different resources claim it: the wrong patient is worse than none. The
 * same resource sent twice counts as one.
 */
class Keys {
  readonly #holders = new Map<string, Resource | null>();
  readonly #areTwins: (one: Resource, other: Resource) => boolean;

  constructor(areTwins: (one: Resource, other: Resource) => boolean) {
    this.#areTwins = areTwins;
  }

  claim(key: string, resource: Resource): void {
    const holder = this.#holders.get(key);
    if (holder === undefined) this.#holders.set(key, resource);
    else if (holder !== null && holder !== resource && !this.#areTwins(holder, resource)) this.#holders.set(key, null);
  }

  get(key: string): Resource | null {
    return this.#holders.get(key) ?? null;
  }
}

/** Compares resources by their JSON, serialized at most once, and only if two claim the same key. */
function twins(resources: Resource[]) {
  let originals: Map<Resource, Resource> | null = null;
  return (one: Resource, other: Resource): boolean => {
    originals ??= originalsOf(resources);
    return originals.get(one) === originals.get(other);
  };
}

function originalsOf(resources: Resource[]): Map<Resource, Resource> {
  const originals = new Map<Resource, Resource>();
  const seen = new Map<string, Resource>();
  for (const resource of resources) {
    const json = JSON.stringify(resource.element);
    const original = seen.get(json) ?? resource;
    seen.set(json, original);
    originals.set(resource, original);
  }
  return originals;
}

function indexOf(resources: Resource[]) {
  const areTwins = twins(resources);
  const byUrl = new Keys(areTwins);
  const byTypeAndId = new Keys(areTwins);
  /** Only entries without a server URL: the others can be referenced only by that URL. */
  const homeless = new Keys(areTwins);
  let byIdentifier: Keys | null = null;

  for (const resource of resources) {
    if (resource.container !== null) continue;
    const address = resource.full_url === null ? null : comparable(resource.full_url);
    if (address !== null) byUrl.claim(address, resource);
    const ids = new Set([text(resource.element.id), address === null ? null : lastSegment(address)]);
    for (const id of ids) {
      if (id === null) continue;
      byTypeAndId.claim(`${resource.type}/${id}`, resource);
      if (address !== null && baseOf(address) !== null) continue;
      homeless.claim(`${resource.type}/${id}`, resource);
      homeless.claim(id.toLowerCase(), resource);
    }
  }

  function find(reference: Element, from: Resource, types: readonly string[]): Resource | null {
    const written = url(reference.reference);
    if (written === null) return identified(one(reference.identifier), types);
    if (written.startsWith("#")) return contained(written.slice(1), from.container ?? from);
    const query = /^[A-Za-z]+\?identifier=(.+)$/.exec(written);
    if (query !== null) return identified(tokenOf(query[1] ?? ""), types);
    const target = comparable(written.replace(/\/_history\/[^/]*$/, ""));
    const exact = byUrl.get(target);
    if (exact !== null) return exact;
    if (target.startsWith("urn:")) return homeless.get(lastSegment(target) ?? "");
    if (target.includes("://")) return homeless.get(target.split("/").slice(-2).join("/"));
    const base = baseOf(comparable((from.container ?? from).full_url ?? ""));
    if (base === null) return byTypeAndId.get(target);
    return byUrl.get(`${base}/${target}`) ?? homeless.get(target);
  }

  /** Built on first use: few senders write such references. */
  function identified(identifier: Element, types: readonly string[]): Resource | null {
    const value = text(identifier.value);
    if (value === null) return null;
    byIdentifier ??= identifierKeys(resources, new Keys(areTwins));
    for (const type of types) {
      const found = byIdentifier.get(identifierKey(type, text(identifier.system), value));
      if (found !== null) return found;
    }
    return null;
  }

  return { find };
}

function identifierKeys(resources: Resource[], keys: Keys): Keys {
  for (const resource of resources) {
    for (const identifier of many(resource.element.identifier)) {
      const value = text(identifier.value);
      if (value !== null) keys.claim(identifierKey(resource.type, text(identifier.system), value), resource);
    }
  }
  return keys;
}

function identifierKey(type: string, system: string | null, value: string): string {
  return JSON.stringify([type, system, value]);
}

/** Parses `system|value`, the search parameter form of an identifier. */
function tokenOf(query: string): Element {
  let token: string;
  try {
    token = decodeURIComponent(query);
  } catch {
    return {};
  }
  const bar = token.indexOf("|");
  return bar === -1 ? { value: token } : { system: token.slice(0, bar), value: token.slice(bar + 1) };
}

function contained(id: string, container: Resource): Resource | null {
  if (id === "") return container;
  const element = many(container.element.contained).find((inner) => text(inner.id) === id);
  return element === undefined ? null : (resourceOf(element, null, container)[0] ?? null);
}

const MAX_URL_LENGTH = 2_000;

/** Ignores longer URLs, so that the regular expressions below stay cheap. */
function url(value: unknown): string | null {
  const written = text(value);
  return written !== null && written.length <= MAX_URL_LENGTH ? written : null;
}

/** UUIDs compare without case. */
function comparable(url: string): string {
  return /^urn:/i.test(url) ? url.toLowerCase() : url.replace(/\/$/, "");
}

function lastSegment(url: string): string | null {
  return /[^/:]+$/.exec(url)?.[0] ?? null;
}

/** The server's base URL: the resource URL without type and id. */
function baseOf(url: string): string | null {
  return /^(https?:\/\/.+)\/[A-Za-z]+\/[^/]+$/.exec(url)?.[1] ?? null;
}
