import type { DashboardHome, DashboardOrders, Environment, PortalOrder, ReviewClosed } from "@pestle/contract";
import { expectTypeOf, test } from "vitest";
import type { FileRoute, JsonRoute, Read, ReadPrefix, RouteOf, StreamRoute } from "../src/app/api-path.ts";

/** The compiler checks these tests (`tsc -p web`): they import only types. */
type Base = `/portal/${Environment}`;

test("an address selects one row of the table by its segments", () => {
  expectTypeOf<Read<"/dashboard/home">>().toEqualTypeOf<DashboardHome>();
  expectTypeOf<Read<`${Base}/orders/${string}`>>().toEqualTypeOf<PortalOrder>();
  expectTypeOf<Read<`/dashboard/orders?${string}&limit=50`>>().toEqualTypeOf<DashboardOrders>();
  expectTypeOf<
    RouteOf<"POST", `/dashboard/orders/${string}/${string}/work`>
  >().toEqualTypeOf<"POST /dashboard/orders/{account_id}/{order_number}/work">();
  expectTypeOf<
    RouteOf<"GET", `/dashboard/catalogue/${string | undefined}`>
  >().toEqualTypeOf<"GET /dashboard/catalogue/{account_id}">();
});

test("an unknown path, method or query name selects no row, and neither does a plain string", () => {
  expectTypeOf<RouteOf<"GET", "/dashboard/hme">>().toBeNever();
  expectTypeOf<RouteOf<"GET", "/dashboard/home/more">>().toBeNever();
  expectTypeOf<RouteOf<"DELETE", "/dashboard/home">>().toBeNever();
  expectTypeOf<RouteOf<"GET", `${Base}/orders?limt=8`>>().toBeNever();
  expectTypeOf<RouteOf<"GET", "/dashboard/home?environment=sandbox&limit=8">>().toBeNever();
  expectTypeOf<RouteOf<"GET", string>>().toBeNever();
});

test("files and streams are not read as JSON", () => {
  expectTypeOf<JsonRoute<"GET", "/dashboard/orders.csv">>().toBeNever();
  expectTypeOf<FileRoute<"/dashboard/orders.csv">>().toEqualTypeOf<"GET /dashboard/orders.csv">();
  expectTypeOf<FileRoute<"/dashboard/orders">>().toBeNever();
  expectTypeOf<JsonRoute<"GET", "/dashboard/stream">>().toBeNever();
  expectTypeOf<StreamRoute<"/dashboard/stream?environment=sandbox">>().toEqualTypeOf<"GET /dashboard/stream">();
});

test("an address to reload after a change has the form of a read", () => {
  expectTypeOf<`${Base}/orders` | "/portal" | "/dashboard/stock" | "/dashboard/orders?">().toExtend<ReadPrefix>();
  expectTypeOf<`${Base}/ordrs`>().not.toExtend<ReadPrefix>();
  expectTypeOf<"/dashboard/bulk">().not.toExtend<ReadPrefix>();
  expectTypeOf<string>().not.toExtend<ReadPrefix>();
});

test("a call takes the body of its path and returns its answer", () => {
  type Api = typeof import("../src/app/api.ts").api;
  const calls = (api: Api, place: `/dashboard/reviews/${string}/${string}`) => [
    expectTypeOf(
      api(`${place}/resolve`, { method: "POST", body: { action: "answer", note: "" } }),
    ).resolves.toEqualTypeOf<ReviewClosed>(),
    // A body whose fields are all optional may be omitted.
    api("/dashboard/credentials/a/revoke", { method: "POST" }),
    // @ts-expect-error: it takes an action
    api(`${place}/resolve`, { method: "POST" }),
    // @ts-expect-error: a field of another path
    api(`${place}/resolve`, { method: "POST", body: { verdict: "accepted" } }),
    // @ts-expect-error: it takes no fields
    api(`${place}/reveal`, { method: "POST", body: { outcome: "" } }),
    // @ts-expect-error: the path has no such method
    api("/dashboard/targets", { method: "PATCH", body: { targets: {} } }),
    // @ts-expect-error: no such path
    api("/dashboard/hme"),
  ];
  expectTypeOf(calls).toBeFunction();
});
