import { expect, test } from "vitest";
import { screenPaths } from "../../bench/web/screen-paths.ts";
import { addressOf, matchRoute } from "../src/app/router/address.ts";

test("an address has a path without a trailing slash and texts in its query string", () => {
  expect(addressOf("")).toEqual({ pathname: "/", search: {}, href: "/" });
  expect(addressOf("/orders/?a=1&b=x y")).toEqual({
    pathname: "/orders",
    search: { a: "1", b: "x y" },
    href: "/orders?a=1&b=x+y",
  });
  expect(addressOf("/stock", { account_id: "acct_1", page: 2, none: undefined }).href).toBe(
    "/stock?account_id=acct_1&page=2",
  );
});

test("a fixed segment goes before a parameter, and parameters are decoded", () => {
  const routes = ["/", "/$environment", "/account", "/catalogue/import", "/order/$account_id/$number"].map((path) => ({
    path,
  }));
  const found = (pathname: string) => {
    const match = matchRoute(routes, pathname);
    return match && { path: match.route.path, ...match.params };
  };
  expect(found("/")).toEqual({ path: "/" });
  expect(found("/account")).toEqual({ path: "/account" });
  expect(found("/sandbox")).toEqual({ path: "/$environment", environment: "sandbox" });
  expect(found("/order/acct_1/A%2F1")).toEqual({
    path: "/order/$account_id/$number",
    account_id: "acct_1",
    number: "A/1",
  });
  // Not a valid code: the screen says that there is no such order.
  expect(found("/order/acct_1/%")).toMatchObject({ number: "%" });
  expect(found("/order/acct_1")).toBeUndefined();
  expect(found("/order/acct_1/")).toBeUndefined();
});

test.each(["dashboard", "portal"] as const)("every screen of the %s has a path of its own", (app) => {
  const paths = screenPaths(app);
  expect(paths.length).toBeGreaterThan(20);
  const routes = paths.map((path) => ({ path }));
  // An address with invented parameters leads to the screen that it is made for.
  const found = paths.map((path) => matchRoute(routes, path.replaceAll("$", "a-"))?.route.path);
  expect(found).toEqual(paths);
});
