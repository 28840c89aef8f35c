import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** A parameter of the screen's path. */
export const useParam = (name: string): string => (useParams({ strict: false }) as Record<string, string>)[name] ?? "";

export type Filters = Readonly<Record<string, string>>;

/**
 * What the address says after the question mark, and how to change it: a filter, a tab, an open row. Who copies the
 * address or goes back sees the same. An empty value takes it away.
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

/** `?a=1&b=x` and nothing cleverer: every value is text. */
export const parseSearch = (search: string): Filters => Object.fromEntries(new URLSearchParams(search));

export function stringifySearch(search: Record<string, unknown>): string {
  const text = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return text === "" ? "" : `?${text}`;
}
