#!/usr/bin/env node
import { existsSync } from "node:fs";

const program = new URL("../dist/cli/main.js", import.meta.url);
if (!existsSync(program)) {
  console.error("pestle: not built yet. Run `npm run build` in the checkout first.");
  process.exit(1);
}
await import(program.href);
