import type { ComponentProps } from "react";
import { Icon, type IconName } from "../icon.tsx";
import styles from "./button.module.css";
import { Keys } from "./keys.tsx";

export type ButtonTone = "primary" | "plain" | "danger" | "quiet";
type Shown = {
  tone?: ButtonTone | undefined;
  icon?: IconName | undefined;
  /** The matching keyboard shortcut, shown in the button. */
  keys?: string | undefined;
  small?: boolean | undefined;
};

/** `busy`: the action is running and further clicks do nothing. */
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

/** An icon-only button; `label` is its accessible name. */
export function IconButton({ label, icon, ...rest }: { label: string; icon: IconName } & ComponentProps<"button">) {
  return (
    <button type="button" {...rest} className={styles["icon"]} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

/** Styles a link as a button. Use links for navigation. */
export const buttonClass = (tone: ButtonTone = "plain", small = false): string =>
  `${styles["button"]} ${styles[tone]} ${small ? styles["small"] : ""}`;
