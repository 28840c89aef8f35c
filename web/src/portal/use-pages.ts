import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { api } from "../app/api.ts";

export type Pages<Row> = {
  query: Pick<UseInfiniteQueryResult, "data" | "error" | "isRefetchError" | "refetch" | "isFetching">;
  rows: readonly Row[];
  more: boolean;
  onMore: () => void;
};

/** A paginated list, cached by path like other reads. */
export function usePages<Page extends { next_cursor: string | null }, Row>(
  path: string,
  rowsOf: (page: Page) => readonly Row[],
  { refetch_ms }: { refetch_ms?: number } = {},
): Pages<Row> {
  const query = useInfiniteQuery<Page, Error, InfiniteData<Page>, readonly unknown[], string>({
    queryKey: [path, "pages"],
    queryFn: ({ pageParam, signal }) => api<Page>(withCursor(path, pageParam), { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Stop polling once older pages are loaded; a refetch would shift the rows.
    ...(refetch_ms !== undefined && {
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : refetch_ms),
    }),
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { query, rows: query.data?.pages.flatMap(rowsOf) ?? [], more: hasNextPage, onMore };
}

const withCursor = (path: string, cursor: string) =>
  cursor === "" ? path : `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;

/** Builds a path with query parameters. Empty values are left out. */
export function addressOf(path: string, filters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(filters).filter((pair): pair is [string, string] => (pair[1] ?? "") !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
