import { parseArgs } from "node:util";

/** A whole number, or with `many` a list of them separated by commas. */
export type RunOption = { about: string; initial: readonly number[]; least?: number; many?: boolean; shown?: string };
type Run = { about: string; options: Record<string, RunOption> };

/**
 * Returns the run named on the command line and the numbers of its options. `--help` or no arguments print the usage
 * and exit with 0. A mistake prints the valid choices and exits with 2.
 */
export function chosenRun<R extends Run>(kind: string, runs: Record<string, R>) {
  const { tokens, positionals, values } = parseArgs({
    strict: false,
    tokens: true,
    options: {
      help: { type: "boolean", short: "h" },
      ...Object.fromEntries(
        Object.values(runs).flatMap(({ options }) => Object.keys(options).map((one) => [one, { type: "string" }])),
      ),
    },
  });
  if (values["help"] === true || tokens.length === 0) {
    console.log(usage(kind, runs));
    process.exit(0);
  }
  const [name = "", more] = positionals;
  const run = Object.entries(runs).find(([known]) => known === name)?.[1];
  const valid = run?.options ?? Object.assign({}, ...Object.values(runs).map(({ options }) => options));
  const foreign = tokens.find((token) => token.kind === "option" && !(token.name in valid));
  if (foreign?.kind === "option") {
    const names = Object.keys(valid).map((one) => `--${one}`);
    fail(`Unknown option ${foreign.rawName}. Valid for ${run ? name : `a ${kind}`}: ${names.join(", ")}, --help.`);
  }
  if (run === undefined) {
    const wrong = name === "" ? `Name a ${kind}` : `Unknown ${kind} "${name}"`;
    fail(`${wrong}. Valid: ${Object.keys(runs).join(", ")}. For a description of each, run: npm run ${kind} -- --help`);
  }
  if (more !== undefined) fail(`Name one ${kind} at a time. Unexpected: "${more}".`);
  const numbers = Object.entries(run.options).map(([option, { initial, least = 0, many = false }]) => {
    const given = values[option];
    const read =
      given === undefined
        ? initial
        : String(given)
            .split(",")
            .map((text) => (text === "" ? NaN : Number(text)));
    if (!read.every((one) => Number.isSafeInteger(one) && one >= least) || (!many && read.length > 1)) {
      fail(`--${option} is ${many ? "a list of whole numbers" : "a whole number"} from ${least}.`);
    }
    return [option, read] as const;
  });
  return { name, run, numbers: Object.fromEntries(numbers) };
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function usage(kind: string, runs: Record<string, Run>): string {
  const lines = Object.entries(runs).flatMap(([name, { about, options }]) => [
    "",
    `  ${name.padEnd(10)} ${about}`,
    ...Object.entries(options).map(([option, { about, initial, many, shown }]) => {
      const form = `--${option} ${many ? "N,N" : "N"}`;
      return `${" ".repeat(13)}${form.padEnd(13)} ${about} (default ${shown ?? initial.join(",")})`;
    }),
  ]);
  return [`Usage: npm run ${kind} -- NAME [options]`, ...lines].join("\n");
}
