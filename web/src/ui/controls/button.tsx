import type { ComponentProps } from "react";
import { Icon, type IconName } from "../icon.tsx";
import styles from "./button.module.css";
import { Keys } from "./keys.tsx";

export type ButtonTone = "primary" | "plain" | "danger" | "quiet";
type Shown = {
  tone?: ButtonTone | undefined;
  icon?: IconName | undefined;
  /** The shortcut that does the same, shown inside. */
  keys?: string | undefined;
  small?: boolean | undefined;
};

/** `busy`: what it does is under way, and pressing again does nothing. */
export function Button({
  tone,
  icon,
  keys,
  small,
  busy = false,
  children,
  className,
  onClick,
  ...rest
}: Shown & { busy?: boolean } & ComponentProps<"button">) {
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonClass(tone, small)} ${className ?? ""}`}
      aria-disabled={busy || undefined}
      data-busy={busy || undefined}
      aria-keyshortcuts={keys?.includes(" ") ? undefined : keys?.replace("mod", "Control")}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
      {keys && <Keys keys={keys} />}
    </button>
  );
}

/** A button of a picture alone; `label` is what it is called. */
export function IconButton({ label, icon, ...rest }: { label: string; icon: IconName } & ComponentProps<"button">) {
  return (
    <button type="button" {...rest} className={styles["icon"]} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

/** For links that look like buttons: what goes somewhere is a link. */
export const buttonClass = (tone: ButtonTone = "plain", small = false): string =>
  `${styles["button"]} ${styles[tone]} ${small ? styles["small"] : ""}`;
