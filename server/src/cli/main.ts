import { commands } from "./commands.ts";
import { runProgram } from "./program.ts";

await runProgram(commands);
