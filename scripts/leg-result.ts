/** The tests of one file in one run. */
export type FileRun = { file: string; passed: number; problems: string[] };
/** One run of some files. `problem` is set if the run failed and no file says why. */
export type TestRun = { files: FileRun[]; problem?: string };

export type LegResult = {
  passed: number;
  failed: string[];
  /** Failures of files that passed when they ran again by themselves. */
  unsteady: string[];
};

/** More failing files than this point to a defect, so a second try would only hide the reason. */
const MOST_REPEATED = 3;

/** The files to run a second time, by themselves. */
export function filesToRepeat({ files }: TestRun): string[] {
  const failed = files.filter(({ problems }) => problems.length > 0);
  return failed.length <= MOST_REPEATED ? failed.map(({ file }) => file) : [];
}

/**
 * Adds up a leg. Each repeated file counts by its own second try, so that one race on a slow machine hides nothing
 * else: neither a file that fails twice nor one that passes then.
 */
export function legResult(first: TestRun, second?: TestRun): LegResult {
  const result: LegResult = { passed: 0, failed: [], unsteady: [] };
  for (const { file, passed, problems } of first.files) {
    const again = second?.files.find((one) => one.file === file);
    const cleared = again !== undefined && again.problems.length === 0;
    result.passed += again?.passed ?? passed;
    (cleared ? result.unsteady : result.failed).push(...problems.map((problem) => `${file}: ${problem}`));
  }
  for (const { problem } of [first, second ?? { files: [] }]) if (problem !== undefined) result.failed.push(problem);
  return result;
}
