import type { Measured } from "./load.ts";
import { median, type Report, rounded } from "./report.ts";

type SizeRound = {
  post: Measured;
  pgbench_per_second: number;
  half_load: Measured;
  list: Measured;
  first_page: Measured;
  deep_page: Measured;
  not_modified: Measured;
};
export type OrderRound = { bare_post: Measured; bare_list: Measured; by_size: SizeRound[] };

const AIMS = { post_per_pgbench: 0.5, half_load_p99_ms: 50, largest_per_smallest: 0.8 };
const HTTP = {
  post: "POST /orders",
  list: "GET /orders?patient_id=",
  first_page: "GET /orders, first page of 25",
  deep_page: "GET /orders, a deep page",
  not_modified: "304 to the patient's list",
} as const;
type HttpName = keyof typeof HTTP;
/** Rates that must not fall as the number of orders grows. */
const STEADY: HttpName[] = ["post", "list", "deep_page", "not_modified"];

const NAME_WIDTH = 34;
const WIDTH = 12;

/**
 * The medians of the rounds with one column per account, and the largest account's rates relative to the smallest's.
 */
export function ordersReport(
  sizes: readonly number[],
  rounds: OrderRound[],
  statements: { post: number; list: number; not_modified: number },
): Report {
  const bare = {
    post: median(rounds.map(({ bare_post }) => bare_post.per_second)),
    list: median(rounds.map(({ bare_list }) => bare_list.per_second)),
  };
  const columns = sizes.map((_, index) => figuresOf(rounds, index));
  const row = (name: string, value: (figures: Figures) => number, digits = 0) =>
    name.padEnd(NAME_WIDTH) + columns.map((one) => value(one).toFixed(digits).padStart(WIDTH)).join("");
  const steady = STEADY.map((name) => ({
    name,
    // Compared within a round, because its measurements are close in time.
    ratio: median(rounds.map(({ by_size }) => by_size.at(-1)![name].per_second / by_size[0]![name].per_second)),
  }));
  const reached =
    columns.every(
      ({ post_per_pgbench, half_load_p99_ms }) =>
        post_per_pgbench >= AIMS.post_per_pgbench && half_load_p99_ms < AIMS.half_load_p99_ms,
    ) && steady.every(({ ratio }) => ratio >= AIMS.largest_per_smallest);
  const text = [
    "orders in the account".padEnd(NAME_WIDTH) + sizes.map((size) => String(size).padStart(WIDTH)).join(""),
    ...(Object.keys(HTTP) as HttpName[]).flatMap((name) => [
      row(`${HTTP[name]}, /s`, ({ http }) => http[name].per_second),
      row("  p50, ms", ({ http }) => http[name].p50_ms, 2),
      row("  p99, ms", ({ http }) => http[name].p99_ms, 2),
    ]),
    row("pgbench, the same two statements, /s", ({ pgbench_per_second }) => pgbench_per_second),
    "",
    `${row("POST / pgbench", ({ post_per_pgbench }) => post_per_pgbench, 2)}   (target ${AIMS.post_per_pgbench})`,
    `${row("p99 of POST at half load, ms", (one) => one.half_load_p99_ms, 2)}   (target ${AIMS.half_load_p99_ms})`,
    row("POST / bare route", ({ post_per_bare }) => post_per_bare, 2),
    row("list / bare route", ({ list_per_bare }) => list_per_bare, 2),
    `bare Fastify routes: POST ${bare.post.toFixed(0)} /s, GET ${bare.list.toFixed(0)} /s, with the same bodies`,
    `${sizes.at(-1)} orders / ${sizes[0]}: ${steady.map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`).join("   ")}   (target ${AIMS.largest_per_smallest})`,
    `statements: POST ${statements.post.toFixed(2)}   list ${statements.list.toFixed(2)}   304 ${statements.not_modified.toFixed(2)}`,
  ].join("\n");
  const json: Report["json"] = { bench: "orders", rounds: rounds.length, reached };
  for (const [index, { http, ...figures }] of columns.entries()) {
    const size = sizes[index];
    for (const [name, value] of Object.entries(figures)) json[`${name}_${size}`] = rounded(value);
    for (const [name, { per_second, p50_ms, p99_ms }] of Object.entries(http)) {
      json[`${name}_per_second_${size}`] = Math.round(per_second);
      json[`${name}_p50_ms_${size}`] = rounded(p50_ms);
      json[`${name}_p99_ms_${size}`] = rounded(p99_ms);
    }
  }
  for (const { name, ratio } of steady) json[`${name}_largest_per_smallest`] = rounded(ratio);
  for (const [name, value] of Object.entries(statements)) json[`${name}_statements`] = rounded(value);
  return { text, json, reached };
}

type Figures = ReturnType<typeof figuresOf>;

function figuresOf(rounds: OrderRound[], index: number) {
  const own = (value: (round: SizeRound, all: OrderRound) => number) =>
    median(rounds.map((round) => value(round.by_size[index]!, round)));
  const http = Object.fromEntries(
    (Object.keys(HTTP) as HttpName[]).map((name) => [
      name,
      {
        per_second: own((round) => round[name].per_second),
        p50_ms: own((round) => round[name].p50_ms),
        p99_ms: own((round) => round[name].p99_ms),
      },
    ]),
  ) as Record<HttpName, { per_second: number; p50_ms: number; p99_ms: number }>;
  return {
    http,
    pgbench_per_second: own(({ pgbench_per_second }) => pgbench_per_second),
    post_per_pgbench: own(({ post, pgbench_per_second }) => post.per_second / pgbench_per_second),
    half_load_p99_ms: own(({ half_load }) => half_load.p99_ms),
    post_per_bare: own(({ post }, { bare_post }) => post.per_second / bare_post.per_second),
    list_per_bare: own(({ list }, { bare_list }) => list.per_second / bare_list.per_second),
  };
}
