import picocolors from "picocolors";

/** Colors only on a terminal: not in a pipe, a file or a build log, and not when NO_COLOR is set. */
export const pc = picocolors.createColors(picocolors.isColorSupported && process.stdout.isTTY === true);

/** A command's result: data for --json, and the same as text. An array is a complete list. */
export type Output = {
  data: object;
  text: string;
  /** The command ran but found a problem: exit code 1. */
  failed?: boolean;
};

export function print({ data, text }: Output, json: boolean): void {
  process.stdout.write(`${json ? JSON.stringify(Array.isArray(data) ? pageOf(data) : data, null, 2) : text}\n`);
}

/** Every list that `--json` prints has this shape. `next_cursor` is null if there are no more items. */
export type Page<Item> = { items: readonly Item[]; next_cursor: string | null };
export const pageOf = <Item>(items: readonly Item[], next_cursor: string | null = null): Page<Item> => ({
  items,
  next_cursor,
});

/** Columns as wide as their widest cell, with a bold header. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ");
  return [pc.bold(line(head)), ...rows.map(line)].join("\n");
}

/** One name and value per line. */
export function facts(values: Record<string, string>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join("\n");
}

export const SHOWN_ONCE = "Save it now: it is not shown again.";

/** A time to the minute, for tables. */
export const minute = (time: Date | string | null) =>
  time === null
    ? "never"
    : new Date(time)
        .toISOString()
        .replace(/:\d\d\.\d+Z$/, "Z")
        .replace("T", " ");

export const money = (cents: number) => `$${(cents / 100).toFixed(2)}`;

/** A progress line on stderr, only on a terminal. */
export function progress(): { show(line: string): void; done(): void } {
  const { isTTY } = process.stderr;
  const write = (line: string) => isTTY && process.stderr.write(`\r\x1b[2K${line}`);
  return { show: write, done: () => void write("") };
}
