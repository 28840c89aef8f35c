import { useSyncExternalStore } from "react";

const query = matchMedia("(max-width: 599px)");

/** Whether the window is as narrow as a phone. */
export const useNarrow = (): boolean => useSyncExternalStore(listen, () => query.matches);

function listen(changed: () => void): () => void {
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}
