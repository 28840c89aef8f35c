import { useEffect, useRef, useSyncExternalStore } from "react";
import { IconButton } from "../controls/button.tsx";
import { Icon } from "../icon.tsx";
import { say } from "../words/say.tsx";
import styles from "./toast.module.css";

type Toast = { id: number; tone: "good" | "bad"; text: string };
const SHOWN_MS = 5000;

let toasts: readonly Toast[] = [];
let last = 0;
const watchers = new Set<() => void>();
const change = (next: readonly Toast[]) => {
  toasts = next;
  for (const watcher of watchers) watcher();
};

/** Shows a short confirmation. Errors stay until the user closes them. */
export function toast(text: string, tone: Toast["tone"] = "good"): void {
  last += 1;
  change([...toasts.slice(-3), { id: last, tone, text }]);
}

const close = (id: number) => change(toasts.filter((one) => one.id !== id));
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
};

/** Renders the toasts. The app shell mounts it once. */
export function Toasts() {
  const shown = useSyncExternalStore(watch, () => toasts);
  const place = useRef<HTMLDivElement>(null);
  // Dialogs live in the top layer. Reopen the popover so toasts appear above them.
  useEffect(() => {
    const list = place.current!;
    if (list.matches(":popover-open")) list.hidePopover();
    if (shown.length > 0) list.showPopover();
  }, [shown]);
  return (
    <div ref={place} popover="manual" className={styles["toasts"]} role="status">
      {shown.map((one) => (
        <Shown key={one.id} {...one} />
      ))}
    </div>
  );
}

function Shown({ id, tone, text }: Toast) {
  useEffect(() => {
    if (tone === "bad") return;
    const timer = setTimeout(() => close(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, tone]);
  return (
    <div className={`${styles["toast"]} ${styles[tone]}`}>
      <Icon name={tone === "good" ? "check" : "alert"} />
      <span>{text}</span>
      <IconButton label={say("Dismiss")} icon="close" onClick={() => close(id)} />
    </div>
  );
}
