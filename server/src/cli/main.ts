import { Command } from "commander";
import { readConfig } from "../config.ts";
import { version } from "../version.ts";
import { start } from "./start.ts";

const program = new Command("pestle").description("Pharmacy-as-a-service, run by you.").version(version);

program
  .command("start")
  .description("run the service: token servers, partner API, web pages and jobs, in one process")
  .option("--demo", "seed the demo into an empty database (the default with the embedded one)")
  .option("--no-demo", "seed nothing")
  .action(async (options: { demo?: boolean }) => start(readConfig(), { demo: options.demo }));

await program.parseAsync();
