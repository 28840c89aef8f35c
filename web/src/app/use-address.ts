import { useCallback } from "react";
import type { Search } from "./router/address.ts";
import { useLocation, useNavigate, useParams } from "./router/router.tsx";

/** A path parameter of the current screen. */
export const useParam = (name: string): string => useParams()[name] ?? "";

export type Filters = Search;

/**
 * Reads and writes the URL's query string: filters, tabs, open rows. Copied links and the Back button restore the same
 * view. An empty value removes the parameter.
 */
export function useFilters(): [Filters, (changes: Record<string, string | null>) => void] {
  const filters = useLocation().search;
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Record<string, string | null>) =>
      void navigate({
        to: ".",
        replace: true,
        search: (before) =>
          Object.fromEntries(
            Object.entries({ ...before, ...changes }).filter(
              (entry): entry is [string, string] => entry[1] !== null && entry[1] !== "",
            ),
          ),
      }),
    [navigate],
  );
  return [filters, change];
}
