import type { Setting } from "@pestle/cli/setting";
import { settings } from "../../../server/src/config.ts";
import { code, generated, page, table } from "../markdown.ts";

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
    "You will find every setting, its default and its values. All settings are environment variables. An empty value counts as unset. `pestle config` prints the active values and their sources, and `pestle doctor` checks them. An invalid value stops the start with one line that names the setting.\n",
    table(["setting", "default", "meaning", "value"], rows),
  );
}
