/** What a round measures of one operation. Null means that it is not available or has no meaning there. */
export type Round = Record<FigureName, number | null>;
type FigureName = keyof typeof FIGURES;

/** All figures of an operation, in the order of the tables. CPU times are per operation. */
const FIGURES = {
  service_ms: { title: "service ms", digits: 3 },
  postgres_ms: { title: "PostgreSQL ms", digits: 3 },
  cpu_ms: { title: "together ms", digits: 3 },
  per_second: { title: "per second", digits: 0 },
  p50_ms: { title: "p50 ms", digits: 2 },
  p99_ms: { title: "p99 ms", digits: 2 },
  ratio: { title: "rate/ceiling", digits: 2 },
  cpu_ratio: { title: "CPU ratio", digits: 2 },
  lowest: { title: "lowest rate", digits: 2 },
  highest_cpu: { title: "highest CPU", digits: 2 },
} as const;

type Spread = { median: number; low: number; high: number };
export type Figures = Partial<Record<FigureName, Spread | null>>;
export type Measurement = {
  service: string;
  commit: string;
  /** Orders that the account had at the start. */
  size: number;
  operations: Record<string, Figures>;
};
/** One run as a document. */
export type Run = {
  bench: string;
  at: string;
  node: string;
  cores: number;
  rounds: number;
  seconds: number;
  measurements: Measurement[];
  reached: boolean;
};
/** What a bench returns. */
export type Report<Json extends object = object> = { text: string; json: Json; reached: boolean };

/** The medians of the rounds with their spread. A figure that no round has is absent. */
export function figuresOf(rounds: readonly Partial<Round>[]): Figures {
  const names = (Object.keys(FIGURES) as FigureName[]).filter((name) => rounds.some((round) => name in round));
  return Object.fromEntries(
    names.map((name) => {
      const values = rounds.map((round) => round[name]).filter((value) => typeof value === "number");
      return [name, values.length === 0 ? null : spreadOf(values)];
    }),
  );
}

const spreadOf = (values: number[]): Spread => ({
  median: rounded(median(values)),
  low: rounded(Math.min(...values)),
  high: rounded(Math.max(...values)),
});

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Four significant digits: figures reach from microseconds to thousands a second. */
const rounded = (value: number) => Number(value.toPrecision(4));

/** The most that an operation may cost, or the least that it must reach. */
export type Aim = { figure: FigureName; most?: number; least?: number };

export function isReached({ figure, most = Infinity, least = 0 }: Aim, figures: Figures): boolean {
  const value = figures[figure]?.median;
  return value === undefined || (value <= most && value >= least);
}

const aimText = (aim: Aim, figures: Figures) => {
  const value = figures[aim.figure]?.median;
  const { title, digits } = FIGURES[aim.figure];
  const verdict = value === undefined ? "not available" : isReached(aim, figures) ? "reached" : "missed";
  const bound = aim.most === undefined ? `at least ${aim.least}` : `at most ${aim.most}`;
  return `${title} ${value?.toFixed(digits) ?? ""} (aim ${bound}, ${verdict})`;
};

const NAME = 30;
const COLUMN = 24;

/** One line per operation and measurement: the median and, in parentheses, the lowest and highest round. */
export function runText(run: Pick<Run, "measurements">, aims: Record<string, Aim>): string {
  const names = [...new Set(run.measurements.flatMap(({ operations }) => Object.keys(operations)))];
  const all = run.measurements.flatMap(({ operations }) => Object.values(operations));
  const columns = (Object.keys(FIGURES) as FigureName[]).filter((name) => all.some((figures) => name in figures));
  const head = "".padEnd(NAME) + columns.map((name) => FIGURES[name].title.padStart(COLUMN)).join("");
  const lines = names.flatMap((name) =>
    run.measurements.flatMap(({ operations, ...about }, index) => {
      const figures = operations[name];
      if (figures === undefined) return [];
      const title = run.measurements.length === 1 ? name : index === 0 ? name : `  ${labelOf(about, index)}`;
      const cells = columns.map((column) => spreadText(column, figures[column]).padStart(COLUMN));
      return [title.padEnd(NAME) + cells.join("")];
    }),
  );
  const about = run.measurements.map((one, index) => `${labelOf(one, index)}: ${one.size} orders in the account`);
  const newest = run.measurements[0]!.operations;
  const verdicts = Object.entries(aims)
    .filter(([name]) => newest[name] !== undefined)
    .map(([name, aim]) => `${name.padEnd(NAME)}${aimText(aim, newest[name]!)}`);
  return [...about, "", head, ...lines, "", ...verdicts].join("\n");
}

const labelOf = ({ service, commit }: Pick<Measurement, "service" | "commit">, index: number) =>
  `${index + 1}. ${service} (${commit})`;

function spreadText(name: FigureName, spread: Spread | null | undefined): string {
  if (spread === undefined) return "";
  if (spread === null) return "not available";
  const { digits } = FIGURES[name];
  const [middle, low, high] = [spread.median, spread.low, spread.high].map((value) => value.toFixed(digits));
  return `${middle} (${low}–${high})`;
}

/** The figures of two measurements, and the second relative to the first. */
export function comparison(first: Measurement, second: Measurement): string {
  const rows = Object.entries(first.operations).flatMap(([name, figures]) =>
    (Object.keys(FIGURES) as FigureName[]).flatMap((figure) => {
      const [a, b] = [figures[figure], second.operations[name]?.[figure]];
      if (a == null || b == null) return [];
      const ratio = a.median === 0 ? "" : (b.median / a.median).toFixed(2);
      return [[name, FIGURES[figure].title, spreadText(figure, a), spreadText(figure, b), ratio]];
    }),
  );
  const heads = ["", "", `A ${first.commit}`, `B ${second.commit}`, "B/A"];
  const line = ([name, figure, a, b, ratio]: string[]) =>
    `${name!.padEnd(NAME)}${figure!.padEnd(16)}${a!.padStart(COLUMN)}${b!.padStart(COLUMN)}${ratio!.padStart(8)}`;
  return [heads, ...rows].map(line).join("\n");
}
