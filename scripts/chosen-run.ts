import { parseArgs } from "node:util";

/** A whole number, or with `many` a list of them separated by commas. */
export type NumberOption = {
  about: string;
  initial: readonly number[];
  least?: number;
  many?: boolean;
  shown?: string;
};
/** A text, or with `many` a list separated by commas, of `valid` texts if given. */
export type TextOption = { about: string; text: string; many?: boolean; valid?: readonly string[] };
type FlagOption = { about: string; flag: true };
export type RunOption = NumberOption | TextOption | FlagOption;
type Run = {
  about: string;
  options: Record<string, RunOption>;
  /** Names of further arguments. The last may be absent. */
  files?: readonly string[];
};

/**
 * Returns the run named on the command line and the values of its options. `--help` or no arguments print the usage
 * and exit with 0. A mistake prints the valid choices and exits with 2.
 */
export function chosenRun<R extends Run>(kind: string, runs: Record<string, R>) {
  const { tokens, positionals, values } = parseArgs({
    strict: false,
    tokens: true,
    options: {
      help: { type: "boolean", short: "h" },
      ...Object.fromEntries(
        Object.values(runs).flatMap(({ options }) =>
          Object.entries(options).map(([one, option]) => [one, { type: "flag" in option ? "boolean" : "string" }]),
        ),
      ),
    },
  });
  if (values["help"] === true || tokens.length === 0) {
    console.log(usage(kind, runs));
    process.exit(0);
  }
  const [name = "", ...files] = positionals;
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
  const { files: expected = [] } = run;
  if (files.length > expected.length) {
    fail(`Name one ${kind} at a time. Unexpected: "${files[expected.length]}".`);
  }
  if (files.length < expected.length - 1) fail(`${name} needs ${expected.join(" and ")}.`);
  const numbers: Record<string, readonly number[]> = {};
  const texts: Record<string, readonly string[]> = {};
  const flags: Record<string, boolean> = {};
  for (const [option, about] of Object.entries(run.options)) {
    const given = values[option];
    if ("flag" in about) flags[option] = given === true;
    else if ("text" in about) texts[option] = readTexts(option, about, given);
    else numbers[option] = readNumbers(option, about, given);
  }
  return { name, run, numbers, texts, flags, files };
}

type Given = string | boolean | undefined;

function readNumbers(option: string, { initial, least = 0, many = false }: NumberOption, given: Given) {
  if (given === undefined) return initial;
  const read = String(given)
    .split(",")
    .map((text) => (text === "" ? NaN : Number(text)));
  if (!read.every((one) => Number.isSafeInteger(one) && one >= least) || (!many && read.length > 1)) {
    fail(`--${option} is ${many ? "a list of whole numbers" : "a whole number"} from ${least}.`);
  }
  return read;
}

function readTexts(option: string, { text, many = false, valid }: TextOption, given: Given): string[] {
  const value = given === undefined ? text : String(given);
  const read = (many ? value.split(",") : [value]).filter((one) => one !== "");
  const wrong = read.find((one) => valid !== undefined && !valid.includes(one));
  if (wrong !== undefined) fail(`--${option} has no "${wrong}". Valid: ${valid!.join(", ")}.`);
  return read;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function usage(kind: string, runs: Record<string, Run>): string {
  const lines = Object.entries(runs).flatMap(([name, { about, options, files = [] }]) => [
    "",
    `  ${[name, ...files].join(" ").padEnd(10)} ${about}`,
    ...Object.entries(options).map(([option, row]) => {
      const { form, initial } = shape(row);
      return `${" ".repeat(13)}${`--${option}${form}`.padEnd(13)} ${row.about}${initial}`;
    }),
  ]);
  return [`Usage: npm run ${kind} -- NAME [options]`, ...lines].join("\n");
}

function shape(row: RunOption): { form: string; initial: string } {
  if ("flag" in row) return { form: "", initial: "" };
  if ("text" in row)
    return { form: row.many ? " A,B" : " A", initial: row.text === "" ? "" : ` (default ${row.text})` };
  return { form: row.many ? " N,N" : " N", initial: ` (default ${row.shown ?? row.initial.join(",")})` };
}
