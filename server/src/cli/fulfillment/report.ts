import { type Environment, environments } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { reportControlled } from "../../usecases/fulfillment/report-controlled.ts";
import { writePrivate } from "../files.ts";
import type { CommandRow } from "../program.ts";
import { withVault } from "../session.ts";

type Options = { from: string; to: string; environment?: Environment; out?: string };

export const reportCommands: readonly CommandRow[] = [
  {
    name: "report controlled",
    summary: "report the controlled substances that were sent, for the states' monitoring programs (ASAP 4.2B)",
    options: [
      ["--from <date>", "the first day", { required: true }],
      ["--to <date>", "the last day", { required: true }],
      ["--environment <environment>", "production, unless it is to be tried", { choices: environments }],
      ["--out <file>", "where to, and nobody else can read it; left out: it is printed"],
    ],
    examples: [
      "report controlled --from 2026-11-14 --to 2026-11-14 --out 2026-11-14.dat",
      "report controlled --from 2026-11-01 --to 2026-11-30 --environment sandbox",
    ],
    async run({ from, to, environment = "production", out }: Options, _argument, env) {
      const { text, ...about } = await withVault(readConfig(env), (session) =>
        reportControlled({ ...session, now: () => session.now }, { from, to, environment }),
      );
      const lacking = about.gaps.map(
        ({ order_number, prescription_id, fields }) =>
          `Order ${order_number}, prescription ${prescription_id} lacks ${fields.join(", ")}.`,
      );
      if (out === undefined) {
        // The report alone is on standard output, so that it can be sent on as it is.
        for (const line of lacking) process.stderr.write(`${line}\n`);
        return { data: { ...about, report: text }, text: text.trimEnd() };
      }
      writePrivate(out, text);
      const fills = about.records === 1 ? "1 fill" : `${about.records} fills`;
      return { data: { ...about, file: out }, text: [`Wrote ${out}: ${fills}.`, ...lacking].join("\n") };
    },
  },
];
