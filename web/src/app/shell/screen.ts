import type { ComponentType } from "react";
import type { IconName } from "../../ui/icon.tsx";

/** A page of an app. To add one, add a row to the app's screen table. */
export type Screen = {
  /** Relative to the app's base path; `$name` is a parameter. */
  path: string;
  title: string;
  /** Loads the screen's chunk on first visit. */
  load: () => Promise<ComponentType>;
  /** Other roles see "Page not found". The server enforces access; this only hides the screen. */
  roles?: readonly string[];
  /** Its place in the sidebar, if any. `keys` is the global shortcut that opens it. */
  nav?: { group: string; icon: IconName; keys?: string };
};
