import { median, type Report, rounded } from "./report.ts";

export type WebhookRound = {
  alone_per_second: number;
  delivered_per_second: number;
  /** Sorted. */
  first_attempts_ms: number[];
};

const AIMS = { delivered_per_alone: 0.5, first_attempt_p50_ms: 100, most_per_fewest: 0.9 };
const NAME_WIDTH = 40;
const WIDTH = 12;

/** The medians of the rounds, with one column per number of finished deliveries. */
export function webhookReport(by_size: { finished: number; rounds: WebhookRound[] }[]): Report {
  const columns = by_size.map(({ rounds }) => figuresOf(rounds));
  const row = (name: string, value: (figures: Figures) => number, digits = 0) =>
    name.padEnd(NAME_WIDTH) + columns.map((one) => value(one).toFixed(digits).padStart(WIDTH)).join("");
  const [fewest, most] = [columns[0]!, columns.at(-1)!];
  // Measured at different times, so each is compared with undici's rate at that time.
  const most_per_fewest = rounded(most.delivered_per_alone / fewest.delivered_per_alone);
  const reached =
    columns.every(
      ({ delivered_per_alone, p50_ms }) =>
        delivered_per_alone >= AIMS.delivered_per_alone && p50_ms < AIMS.first_attempt_p50_ms,
    ) && most_per_fewest >= AIMS.most_per_fewest;
  const text = [
    "finished deliveries in the tables".padEnd(NAME_WIDTH) +
      by_size.map(({ finished }) => String(finished).padStart(WIDTH)).join(""),
    row("delivered by one process, /s", ({ delivered_per_second }) => delivered_per_second),
    row("undici alone, the same bodies, /s", ({ alone_per_second }) => alone_per_second),
    row("commit to first attempt, p50, ms", ({ p50_ms }) => p50_ms, 1),
    row("commit to first attempt, p99, ms", ({ p99_ms }) => p99_ms, 1),
    "",
    row(
      `delivered / undici alone (target ${AIMS.delivered_per_alone})`,
      ({ delivered_per_alone }) => delivered_per_alone,
      2,
    ),
    `${`most / fewest finished (target ${AIMS.most_per_fewest})`.padEnd(NAME_WIDTH)}${most_per_fewest.toFixed(2).padStart(WIDTH)}`,
  ].join("\n");
  const json = Object.fromEntries(
    columns.flatMap((figures, index) =>
      Object.entries(figures).map(([name, value]) => [`${name}_${by_size[index]!.finished}`, rounded(value)]),
    ),
  );
  return {
    text,
    json: { bench: "webhooks", rounds: by_size[0]!.rounds.length, ...json, most_per_fewest, reached },
    reached,
  };
}

type Figures = ReturnType<typeof figuresOf>;

function figuresOf(rounds: WebhookRound[]) {
  const at = (part: number) =>
    median(rounds.map(({ first_attempts_ms: sorted }) => sorted[Math.floor(sorted.length * part)] ?? 0));
  return {
    delivered_per_second: Math.round(median(rounds.map((round) => round.delivered_per_second))),
    alone_per_second: Math.round(median(rounds.map((round) => round.alone_per_second))),
    delivered_per_alone: median(rounds.map((round) => round.delivered_per_second / round.alone_per_second)),
    p50_ms: at(0.5),
    p99_ms: at(0.99),
  };
}
