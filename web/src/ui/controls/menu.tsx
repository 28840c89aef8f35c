import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { toast } from "../display/toast.tsx";
import type { IconName } from "../icon.tsx";
import { say } from "../words/say.tsx";
import styles from "./menu.module.css";

export type MenuItem = {
  label: ReactNode;
  icon?: IconName;
  onChoose: () => void;
  danger?: boolean;
  checked?: boolean;
  /** The language of the label, if it is not that of the page. */
  lang?: string;
};

/** Loaded when someone points at a menu's button or opens it, because every screen has menus and few people open one. */
let List: typeof import("./menu-list.tsx").MenuList | undefined;
async function load(): Promise<void> {
  List ??= (await import("./menu-list.tsx")).MenuList;
}

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
  const button = useRef<HTMLButtonElement>(null);
  const [state, setState] = useState<"never" | "open" | "closed">("never");
  const open = state === "open";
  const show = () =>
    load().then(
      () => setState("open"),
      () => toast(say("The menu did not load. Reload the page."), "bad"),
    );
  const intend = () => void load().catch(() => undefined);
  return (
    <div className={styles["menu"]}>
      <button
        ref={button}
        id={id}
        type="button"
        className={triggerClass ?? styles["trigger"]}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        onPointerEnter={intend}
        onFocus={intend}
        onClick={() => (open ? setState("closed") : void show())}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== "ArrowDown" || open) return;
          event.preventDefault();
          void show();
        }}
      >
        {trigger}
      </button>
      {state !== "never" && List && (
        <List
          button={button.current!}
          items={items}
          open={open}
          onOpen={(next) => setState(next ? "open" : "closed")}
        />
      )}
    </div>
  );
}
