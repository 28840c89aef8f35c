import type { Program } from "@pestle/cli/program";
import { version } from "../version.ts";
import { explainHere } from "./explain.ts";
import { groups, headings } from "./groups.ts";

/** The command line of the service. */
export const pestle: Program = {
  command: "pestle",
  description: "Self-hosted pharmacy-as-a-service.",
  version,
  groups,
  headings,
  footer: "Settings come from the environment: `pestle config` lists them.",
  explain: explainHere,
};
