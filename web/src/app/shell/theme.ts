import { useSyncExternalStore } from "react";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const KEPT_AS = "pestle-theme";
const watchers = new Set<() => void>();

export const useTheme = (): Theme =>
  useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, currentTheme);

function currentTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return themes.find((one) => one === kept) ?? "system";
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEPT_AS, theme);
  applyTheme();
  for (const watcher of watchers) watcher();
}

/** Falls back to the system theme if the user has not chosen one. */
export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
