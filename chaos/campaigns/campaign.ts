import type { NumberOption, RunOption, TextOption } from "../../scripts/chosen-run.ts";
import type { From } from "../server-process.ts";
import { type Found, inStages, type Sizes, type Stage, type Tally, tallyFile } from "../tally.ts";

/** What the campaigns run: what operators run, or the sources of a checkout that nobody builds. */
export const FROM: From = process.env["CAMPAIGN_PROGRAM"] === "source" ? "source" : "built";
/** A copy with a defect is not asked whether it would notice others. */
export const TESTS_ITSELF = FROM === "built";
const NUMBERS = [
  "count",
  "orders",
  "accounts",
  "kills",
  "restarts",
  "rounds",
  "seconds",
  "minutes",
  "failovers",
  "faults",
  "requests",
  "connections",
  "megabytes",
] as const;
/** What the command line asked for. An option that the campaign does not have is 0, or an empty list. */
export type Asked = Readonly<Record<(typeof NUMBERS)[number], number>> & {
  seed: number;
  texts: Readonly<Record<string, readonly string[]>>;
  flags: Readonly<Record<string, boolean>>;
  /** Runs the stages, and keeps what they find in the campaign's tally. */
  inStages<Result extends Found>(
    stages: readonly Stage<Result>[],
    onStage?: (found: Result) => void,
  ): Promise<Tally<Result> & { found: Result }>;
};
/** Returns whether everything held. A campaign loads its modules when it runs, so that help and mistakes are answered at once. */
export type Campaign = {
  about: string;
  options: Record<string, RunOption>;
  /** Whether it attacks the build; true if absent. */
  needs_build?: false;
  run(asked: Asked): Promise<boolean>;
};

export const seed: NumberOption = {
  about: "repeats the random choices of a run",
  initial: [Math.floor(Math.random() * 2 ** 32)],
  shown: "random",
};
export const count = (initial: number, about: string): NumberOption => ({ about, initial: [initial], least: 1 });
/** Some of several kinds; all if none is named. */
export const kinds = (valid: readonly string[], about: string): TextOption => ({ about, text: "", many: true, valid });

export function askedFor(
  campaign: string,
  { numbers, texts, flags }: Pick<Asked, "texts" | "flags"> & { numbers: Readonly<Record<string, readonly number[]>> },
): Asked {
  const given = (option: string) => numbers[option]?.[0] ?? 0;
  const seed = given("seed");
  const asked: Sizes = Object.fromEntries([
    ...[...Object.entries(numbers), ...Object.entries(texts)]
      .filter(([option, values]) => option !== "seed" && option !== "tally" && values.length > 0)
      .map(([option, values]) => [option, typeof values[0] === "number" ? values[0] : values.join(",")]),
    ...Object.entries(flags).flatMap(([option, given]) => (given ? [[option, "yes"]] : [])),
  ]);
  const file = texts["tally"]?.[0] ?? tallyFile(campaign).text;
  return {
    ...(Object.fromEntries(NUMBERS.map((name) => [name, given(name)])) as Record<(typeof NUMBERS)[number], number>),
    seed,
    texts,
    flags,
    inStages: (stages, onStage) =>
      inStages({ campaign, file, asked, seed, ...(onStage !== undefined && { onStage }) }, stages),
  };
}

/** Gives each campaign the option for its tally. */
export const withTallies = (campaigns: Record<string, Campaign>): Record<string, Campaign> =>
  Object.fromEntries(
    Object.entries(campaigns).map(([name, campaign]) => [
      name,
      { ...campaign, options: { ...campaign.options, tally: tallyFile(name) } },
    ]),
  );
