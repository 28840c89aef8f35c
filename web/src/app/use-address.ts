import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** A path parameter of the current screen. */
export const useParam = (name: string): string => (useParams({ strict: false }) as Record<string, string>)[name] ?? "";

export type Filters = Readonly<Record<string, string>>;

/**
 * Reads and writes the URL's query string: filters, tabs, open rows. Copied links and the Back button restore the same
 * view. An empty value removes the parameter.
 */
export function useFilters(): [Filters, (changes: Record<string, string | null>) => void] {
  const filters = useSearch({ strict: false }) as Filters;
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Record<string, string | null>) =>
      void navigate({
        to: ".",
        replace: true,
        search: (before: Filters) =>
          Object.fromEntries(
            Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null && value !== ""),
          ),
      } as never),
    [navigate],
  );
  return [filters, change];
}

/** Parses `?a=1&b=x`. Every value is a string. */
export const parseSearch = (search: string): Filters => Object.fromEntries(new URLSearchParams(search));

export function stringifySearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return text === "" ? "" : `?${text}`;
}
