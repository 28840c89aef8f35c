import { runProgram } from "@pestle/cli/program";
import { commandsFor } from "./commands.ts";
import { pestle } from "./pestle.ts";

await runProgram(pestle, await commandsFor(process.argv[2]));
