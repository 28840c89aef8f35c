import { useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { createKeyPresses } from "./key-presses.ts";

/** `keys`: `j`, `g h` (in sequence), `mod+k` (with Ctrl or ⌘). `group`: it navigates and changes nothing. */
export type Shortcut = { keys: string; label: string; run: () => void; group?: string };

const KEPT_AS = "pestle-shortcuts";

let layers: readonly { shortcuts: readonly Shortcut[] }[] = [];
let shown: readonly Shortcut[] = [];
const presses = createKeyPresses(find);
const watchers = new Set<() => void>();

/** Registers shortcuts while the component is mounted. On a conflict, the component mounted last wins. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const layer = useRef<{ shortcuts: readonly Shortcut[] }>({ shortcuts });
  layer.current.shortcuts = shortcuts;
  const names = shortcuts.map(({ keys, label }) => `${keys} ${label}`).join();
  // Before the screen is painted, so that a user who sees it can use its keys.
  // biome-ignore lint/correctness/useExhaustiveDependencies: re-register only when the keys or labels change
  useLayoutEffect(() => {
    const mine = layer.current;
    change([...layers.filter((one) => one !== mine), mine]);
    return () => change(layers.filter((one) => one !== mine));
  }, [names]);
}

/** All active shortcuts, for the sheet. */
export const useAllShortcuts = (): readonly Shortcut[] => useSyncExternalStore(watch, () => shown);

/** Single-key shortcuts interfere with some speech and typing tools, so users can turn them off. */
const singleKeysOn = (): boolean => localStorage.getItem(KEPT_AS) !== "off";
export const useSingleKeysOn = (): boolean => useSyncExternalStore(watch, singleKeysOn);
export function setSingleKeys(on: boolean): void {
  localStorage.setItem(KEPT_AS, on ? "on" : "off");
  change(layers);
}

/** From the start of the page on. Keys pressed before there are shortcuts count once there are. */
export function listenToKeys(): void {
  const listen = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const mod = event.ctrlKey || event.metaKey;
    if (!mod && (!singleKeysOn() || isTyping(event.target))) return;
    // Shortcuts are off while a dialog is open.
    if (document.querySelector("dialog[open]") !== null) return;
    // In a menu, letters lead to an item.
    if (event.target instanceof Element && event.target.closest("[role=menu]") !== null) return;
    // Enter activates the focused button or link.
    if (event.key === "Enter" && event.target instanceof Element && event.target.closest("a, button, summary")) return;
    const key = mod ? `mod+${event.key.toLowerCase()}` : event.key;
    if (["Shift", "Control", "Meta"].includes(event.key)) return presses.end();
    // The event's own clock: a busy page handles the key later than the person pressed it.
    const press = { key, at_ms: event.timeStamp };
    if (layers.length === 0) return mod ? undefined : presses.hold(press);
    const found = presses.press(press);
    if (!found) return;
    event.preventDefault();
    found.run();
  };
  document.addEventListener("keydown", listen);
}

function runHeld(): void {
  for (const { run } of presses.takeHeld(performance.now())) run();
}

function find(keys: string): Shortcut | undefined {
  for (const { shortcuts } of layers.toReversed()) {
    const found = shortcuts.find((one) => one.keys === keys);
    if (found) return found;
  }
  return undefined;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "submit"].includes(target.type);
  return target.isContentEditable || target.matches("textarea, select");
}

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function change(next: typeof layers): void {
  // The other layers of the same screen come in the same turn.
  if (layers.length === 0 && next.length > 0) queueMicrotask(runHeld);
  layers = next;
  const taken = new Set<string>();
  shown = next
    .toReversed()
    .flatMap(({ shortcuts }) => shortcuts)
    .filter(({ keys }) => !taken.has(keys) && taken.add(keys));
  for (const watcher of watchers) watcher();
}
