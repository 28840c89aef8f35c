import type { ComponentType } from "react";
import type { IconName } from "../../ui/icon.tsx";

/** A page of an application: a row in its table is all there is to add. */
export type Screen = {
  /** Below the application's own address; `$name` is a parameter. */
  path: string;
  title: string;
  /** Its own piece of script, loaded when somebody goes there. */
  load: () => Promise<ComponentType>;
  /** Whoever has another role finds nothing there. The server refuses too: this only spares them the way. */
  roles?: readonly string[];
  /** Where it stands in the side bar, if it does; `keys` go there from everywhere. */
  nav?: { group: string; icon: IconName; keys?: string };
};
