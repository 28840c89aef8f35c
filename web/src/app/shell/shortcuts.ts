import { useEffect, useRef, useSyncExternalStore } from "react";

/** `keys`: `j`, `g h` (in sequence), `mod+k` (with Ctrl or ⌘). */
export type Shortcut = { keys: string; label: string; run: () => void; group?: string };

const SEQUENCE_MS = 1200;
const KEPT_AS = "pestle-shortcuts";

let layers: readonly { shortcuts: readonly Shortcut[] }[] = [];
let shown: readonly Shortcut[] = [];
let pressed: { key: string; at_ms: number } | null = null;
const watchers = new Set<() => void>();

/** Registers shortcuts while the component is mounted. On a conflict, the component mounted last wins. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const layer = useRef<{ shortcuts: readonly Shortcut[] }>({ shortcuts });
  layer.current.shortcuts = shortcuts;
  const names = shortcuts.map(({ keys, label }) => `${keys} ${label}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: re-register only when the keys or labels change
  useEffect(() => {
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

export function listenToKeys(): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const mod = event.ctrlKey || event.metaKey;
    if (!mod && (!singleKeysOn() || isTyping(event.target))) return;
    // Shortcuts are off while a dialog is open.
    if (document.querySelector("dialog[open]") !== null) return;
    // Enter activates the focused button or link.
    if (event.key === "Enter" && event.target instanceof Element && event.target.closest("a, button, summary")) return;
    const key = mod ? `mod+${event.key.toLowerCase()}` : event.key;
    const before = pressed !== null && Date.now() - pressed.at_ms < SEQUENCE_MS ? `${pressed.key} ${key}` : null;
    const found = (before !== null && find(before)) || find(key);
    pressed = found || ["Shift", "Control", "Meta"].includes(event.key) ? null : { key, at_ms: Date.now() };
    if (!found) return;
    event.preventDefault();
    found.run();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
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
  layers = next;
  const taken = new Set<string>();
  shown = next
    .toReversed()
    .flatMap(({ shortcuts }) => shortcuts)
    .filter(({ keys }) => !taken.has(keys) && taken.add(keys));
  for (const watcher of watchers) watcher();
}
