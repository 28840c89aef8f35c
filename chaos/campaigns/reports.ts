import { reportRow } from "../report/report-row.ts";
import type { Stage } from "../tally.ts";
import { tallyFile } from "../tally.ts";
import type { Campaign } from "./campaign.ts";

/** The campaigns and tests must notice so many of thirty defects. */
const CAUGHT_OF_THIRTY = 28;

/** Commands about the campaigns themselves. */
export const reportCampaigns: Record<string, Campaign> = {
  report: {
    about: "print what each finished tally found, as a row of Markdown",
    options: {
      tallies: { about: "folder of the tallies", text: ".artifacts" },
    },
    needs_build: false,
    async run({ texts }) {
      const rows = reportRow(texts["tallies"]![0]!);
      for (const row of rows) console.log(row);
      return rows.length > 0;
    },
  },
  seeded: {
    about: "put 31 defects into a copy of this checkout, one after another: the campaigns and tests must notice them",
    options: {
      numbers: { about: "numbers of defects; all if none is named", text: "", many: true },
      tally: tallyFile("seeded"),
    },
    needs_build: false,
    async run({ texts, inStages }) {
      const { bugs, nameOf } = await import("../seeded/bugs.ts");
      const { copyCheckout } = await import("../seeded/checkout-copy.ts");
      const { keepResults, tryBug, tryClean } = await import("../seeded/seeded.ts");
      type Seeded = Awaited<ReturnType<typeof tryBug>>;
      const chosen = texts["numbers"]!.length === 0 ? bugs : texts["numbers"]!.map((one) => bugs[Number(one) - 1]!);
      const detectors = new Map(chosen.map(({ by }) => [nameOf(by), by]));
      const copy = copyCheckout();
      try {
        const stages: Stage<Seeded>[] = [
          ...[...detectors.values()].map((by) => () => tryClean(copy, by)),
          ...chosen.map((bug) => async () => {
            const tried = await tryBug(copy, bug);
            keepResults(
              tried.results,
              bugs.map((one) => one.bug),
            );
            return tried;
          }),
        ];
        const { found } = await inStages(stages);
        console.log(`caught ${found.caught} of ${found.tried}`);
        for (const fault of found.faults) console.log(`             ${fault}`);
        return found.faults.length === 0 && found.caught >= (chosen.length * CAUGHT_OF_THIRTY) / 30;
      } finally {
        copy.remove();
      }
    },
  },
};
