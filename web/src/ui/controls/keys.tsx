import { say } from "../words/say.tsx";
import styles from "./keys.module.css";

const shown: Record<string, string> = {
  Enter: "↵",
  Escape: say("Esc"),
  ArrowUp: "↑",
  ArrowDown: "↓",
  mod: navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl",
};

/** A shortcut's keys, as printed on the keyboard. `g h` is a sequence; `mod+k` is pressed together. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className={styles["keys"]} aria-hidden="true">
      {keys.split(/[ +]/).map((key) => (
        <kbd key={key}>{shown[key] ?? key}</kbd>
      ))}
    </span>
  );
}
