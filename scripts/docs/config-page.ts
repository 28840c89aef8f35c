import { settings } from "../../server/src/config.ts";
import type { Setting } from "../../server/src/setting.ts";
import { code, generated, page, table } from "./markdown.ts";

export function configPage() {
  const rows = Object.entries<Setting>(settings).map(([name, { default: fallback, meaning, fix, secret }]) => [
    code(name),
    fallback === "" ? "" : code(fallback),
    `${meaning}${secret ? " Secret." : ""}`,
    fix,
  ]);
  return page(
    generated("`server/src/config.ts`"),
    "# Settings\n",
    "All settings are environment variables; an empty one counts as left out. `pestle config` prints the values in force and where they come from, `pestle doctor` checks them. A wrong value stops the start with one line that names the setting.\n",
    table(["setting", "default", "meaning", "value"], rows),
  );
}
