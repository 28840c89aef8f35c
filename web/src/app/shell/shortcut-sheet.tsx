import { CheckField } from "../../ui/controls/field.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";
import styles from "./shortcut-sheet.module.css";
import { setSingleKeys, useAllShortcuts, useSingleKeysOn } from "./shortcuts.ts";

const HERE = say("This page");

/** The `?` sheet: every shortcut active on this page. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const shortcuts = useAllShortcuts();
  const on = useSingleKeysOn();
  const groups = [...new Set(shortcuts.map(({ group }) => group ?? HERE))].sort(
    (a, b) => Number(a !== HERE) - Number(b !== HERE),
  );
  return (
    <Dialog title={say("Keyboard shortcuts")} onClose={onClose} wide>
      {/* Must come first: it gets the focus, and the dialog scrolls to the focus. */}
      <CheckField
        label={say("Single-key shortcuts")}
        hint={say("Turn these off if they interfere with speech input or other tools. Ctrl-K keeps working.")}
        checked={on}
        onChange={(event) => setSingleKeys(event.target.checked)}
      />
      <div className={styles["groups"]}>
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts
                .filter((one) => (one.group ?? HERE) === group)
                .map(({ keys, label }) => (
                  <div key={keys}>
                    <dt>{label}</dt>
                    <dd>
                      <span className="unseen">{keys}</span>
                      <Keys keys={keys} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
