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
    summary: "report shipped controlled substances to state prescription monitoring programs (ASAP 4.2B)",
    options: [
      ["--from <date>", "the first day", { required: true }],
      ["--to <date>", "the last day", { required: true }],
      ["--environment <environment>", "the environment (default: production)", { choices: environments }],
      ["--out <file>", "the file to write, readable only by you (default: print it)"],
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
          `Order ${order_number}, prescription ${prescription_id} is missing ${fields.join(", ")}.`,
      );
      if (out === undefined) {
        // Standard output gets only the report, so that it can be piped.
        for (const line of lacking) process.stderr.write(`${line}\n`);
        return { data: { ...about, report: text }, text: text.trimEnd() };
      }
      writePrivate(out, text);
      const fills = about.records === 1 ? "1 fill" : `${about.records} fills`;
      return { data: { ...about, file: out }, text: [`Wrote ${out}: ${fills}.`, ...lacking].join("\n") };
    },
  },
];
