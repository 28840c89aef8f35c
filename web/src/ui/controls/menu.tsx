import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Icon, type IconName } from "../icon.tsx";
import styles from "./menu.module.css";

export type MenuItem = { label: ReactNode; icon?: IconName; onChoose: () => void; danger?: boolean; checked?: boolean };

const GAP_PX = 4;

/** A button that opens a menu. `trigger` is the button's content; `label` names it if the content has no text. */
export function Menu({
  trigger,
  label,
  items,
  triggerClass,
}: {
  trigger: ReactNode;
  label?: string;
  items: readonly MenuItem[];
  triggerClass?: string | undefined;
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState({});
  const frame = useRef<HTMLDivElement>(null);
  const entries = () => [...(frame.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
  const button = () => frame.current?.querySelector<HTMLElement>("button");

  // biome-ignore lint/correctness/useExhaustiveDependencies: `entries` reads the page, not the state
  useEffect(() => {
    if (!open) return;
    entries()[0]?.focus();
    const outside = (event: Event) => frame.current?.contains(event.target as Node) || setOpen(false);
    const away = () => setOpen(false);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("scroll", away, { capture: true });
    addEventListener("resize", away);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("scroll", away, { capture: true });
      removeEventListener("resize", away);
    };
  }, [open]);

  // Position the menu relative to the window. A scrolling table would clip it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useLayoutEffect(() => {
    const [from, list] = [button()?.getBoundingClientRect(), frame.current?.querySelector<HTMLElement>("[role=menu]")];
    if (!from || !list) return;
    const below = from.bottom + GAP_PX + list.offsetHeight <= innerHeight;
    // Open toward the middle of the window.
    const left = from.left + from.right < innerWidth ? from.left : from.right - list.offsetWidth;
    setPlace({
      top: below ? from.bottom + GAP_PX : Math.max(GAP_PX, from.top - GAP_PX - list.offsetHeight),
      left: Math.max(GAP_PX, Math.min(left, innerWidth - GAP_PX - list.offsetWidth)),
    });
  }, [open]);

  const move = (event: KeyboardEvent) => {
    if (!open) return;
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    if (event.key === "Escape") {
      setOpen(false);
      button()?.focus();
    } else if (event.key === "Tab") setOpen(false);
    else if (event.key in to) all.at(to[event.key]! % all.length)?.focus();
    if (event.key in to || event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of its children
    <div ref={frame} className={styles["menu"]} onKeyDown={move}>
      <button
        type="button"
        className={triggerClass ?? styles["trigger"]}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        onClick={() => setOpen(!open)}
      >
        {trigger}
      </button>
      {open && (
        <div id={id} role="menu" className={styles["list"]} style={place}>
          {items.map(({ label: shown, icon, onChoose, danger, checked }, at) => (
            // biome-ignore lint/a11y/useAriaPropsSupportedByRole: `checked` is set only for menuitemradio
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: menu items never reorder
              key={at}
              type="button"
              role={checked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={checked}
              tabIndex={-1}
              className={danger ? styles["danger"] : undefined}
              onClick={() => {
                setOpen(false);
                button()?.focus();
                onChoose();
              }}
            >
              {checked === undefined ? (
                icon && <Icon name={icon} />
              ) : (
                <Icon name={checked ? "check" : (icon ?? "more")} />
              )}
              {shown}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
