import type { ComponentType } from "react";
import { type Address, addressOf, matchRoute, type Params, type Search } from "./address.ts";

export type Route = { path: string; load: () => Promise<ComponentType> };
/** `to` is a path below the app's base, or `.` for the current one. Without `search`, the query string is empty. */
export type Target = {
  to: string;
  search?: Readonly<Record<string, unknown>> | ((before: Search) => Search);
  replace?: boolean;
};
/** `screen` is undefined until its code is loaded, and null if no route matches. */
export type Place = {
  address: Address;
  /** Of the route. */
  path: string | null;
  params: Params;
  screen: ComponentType | null | undefined;
  /** The screen's code did not load. */
  error?: unknown;
  /** Where to scroll: the position before, if the user went back to it. */
  scroll: number;
};
export type Router = ReturnType<typeof createRouter>;

/**
 * The page's address and its screen. The screen before stays until the code of the next one is loaded. `scroller` is the
 * element that scrolls.
 */
export function createRouter(base: string, routes: readonly Route[], scroller: () => Element | null) {
  const loaded = new Map<Route, ComponentType>();
  const watchers = new Set<() => void>();
  const positions = new Map<string, number>();
  let key = keyOf(history.state);
  let wanted = here();
  let place: Place = { address: wanted, path: null, params: {}, screen: undefined, scroll: 0 };

  function here(): Address {
    const { pathname, search } = location;
    return addressOf((pathname.startsWith(base) ? pathname.slice(base.length) : pathname) + search);
  }
  async function show(address: Address, scroll: number): Promise<void> {
    const found = matchRoute(routes, address.pathname);
    wanted = address;
    const next = (screen: Place["screen"], error?: unknown) => {
      // The user has gone elsewhere meanwhile.
      if (wanted !== address) return;
      const path = found?.route.path ?? null;
      place = { address, path, params: found?.params ?? {}, screen, scroll, ...(error !== undefined && { error }) };
      for (const watcher of watchers) watcher();
    };
    if (found === undefined) return next(null);
    const ready = loaded.get(found.route);
    if (ready !== undefined) return next(ready);
    try {
      next(await load(found.route));
    } catch (error) {
      next(undefined, error ?? new Error("The screen did not load."));
    }
  }
  async function load(route: Route): Promise<ComponentType> {
    const screen = loaded.get(route) ?? (await route.load());
    // Two callers may have waited for it. The first component stays, or React would mount the screen a second time.
    if (!loaded.has(route)) loaded.set(route, screen);
    return loaded.get(route)!;
  }
  const keepPosition = () => positions.set(key, scroller()?.scrollTop ?? 0);
  const addressFor = ({ to, search = {} }: Target): Address =>
    addressOf(to === "." ? wanted.pathname : to, typeof search === "function" ? search(wanted.search) : search);

  addEventListener("popstate", () => {
    keepPosition();
    key = keyOf(history.state);
    void show(here(), positions.get(key) ?? 0);
  });
  void show(wanted, 0);
  return {
    place: () => place,
    watch(watcher: () => void) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    hrefOf: (target: Target): string => hrefIn(base, addressFor(target)),
    navigate(target: Target): Promise<void> {
      const address = addressFor(target);
      keepPosition();
      key = crypto.randomUUID();
      const same = target.replace || address.href === wanted.href;
      history[same ? "replaceState" : "pushState"]({ key }, "", hrefIn(base, address));
      return show(address, 0);
    },
    /** Loads the code of a screen that the user is about to open. */
    async preload(target: Target): Promise<void> {
      const found = matchRoute(routes, addressFor(target).pathname);
      // If it fails, opening the screen says so.
      if (found !== undefined) await load(found.route).catch(() => undefined);
    },
  };
}

const hrefIn = (base: string, { pathname, href }: Address) => base + (pathname === "/" ? href.slice(1) : href);
const keyOf = (state: unknown): string => (state as { key?: string } | null)?.key ?? "";
