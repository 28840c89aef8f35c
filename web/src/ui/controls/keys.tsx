import styles from "./keys.module.css";

const shown: Record<string, string> = {
  Enter: "↵",
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  mod: navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl",
};

/** The keys of a shortcut, as they stand on the keyboard: `g h` is one after the other, `mod+k` both at once. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className={styles["keys"]} aria-hidden="true">
      {keys.split(/[ +]/).map((key) => (
        <kbd key={key}>{shown[key] ?? key}</kbd>
      ))}
    </span>
  );
}
