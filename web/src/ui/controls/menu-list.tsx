import { MenuItem as Item, Menu, MenuItemRadio, useMenuStore } from "@ariakit/react/menu";
import { useLayoutEffect } from "react";
import { Icon } from "../icon.tsx";
import styles from "./menu.module.css";
import type { MenuItem } from "./menu.tsx";

const GAP_PX = 4;

/** The list of a menu: focus, keys, letters that lead to an item, and its place on the screen. */
export function MenuList({
  button,
  items,
  open,
  onOpen,
}: {
  button: HTMLButtonElement;
  items: readonly MenuItem[];
  open: boolean;
  onOpen: (open: boolean) => void;
}) {
  const menu = useMenuStore({ open, setOpen: onOpen, placement: "bottom-start", focusLoop: true });
  useLayoutEffect(() => {
    if (!open) return;
    menu.setAnchorElement(button);
    menu.setDisclosureElement(button);
    menu.setInitialFocus("first");
    menu.setAutoFocusOnShow(true);
  }, [menu, button, open]);
  const choose = (item: MenuItem) => () => {
    // A dialog that the item opens returns the focus to where it was.
    button.focus();
    item.onChoose();
  };
  return (
    // Relative to the window: a scrolling table would clip it.
    <Menu
      store={menu}
      fixed
      unmountOnHide
      gutter={GAP_PX}
      overflowPadding={GAP_PX}
      aria-labelledby={button.id}
      className={styles["list"]}
    >
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: menu items never reorder
        <Entry key={at} item={item} value={String(at)} onChoose={choose(item)} />
      ))}
    </Menu>
  );
}

function Entry({ item, value, onChoose }: { item: MenuItem; value: string; onChoose: () => void }) {
  const { label, icon, danger, checked, lang } = item;
  const given = {
    className: danger ? styles["danger"] : undefined,
    lang,
    onClick: onChoose,
    render: <button type="button" />,
  };
  if (checked === undefined) {
    return (
      <Item {...given}>
        {icon && <Icon name={icon} />}
        {label}
      </Item>
    );
  }
  return (
    <MenuItemRadio {...given} name="choice" value={value} checked={checked} hideOnClick>
      <Icon name={checked ? "check" : (icon ?? "more")} />
      {label}
    </MenuItemRadio>
  );
}
