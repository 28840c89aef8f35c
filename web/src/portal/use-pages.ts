import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { ask } from "../app/api.ts";
import type { JsonRoute, Known, Read } from "../app/api-path.ts";

export type Pages<Row> = {
  query: Pick<UseInfiniteQueryResult, "data" | "error" | "isRefetchError" | "refetch" | "isFetching">;
  rows: readonly Row[];
  more: boolean;
  onMore: () => void;
};

type PageRoute<Address extends string> =
  Read<Address> extends { next_cursor: string | null } ? JsonRoute<"GET", Address> : never;

/** A paginated list, cached by path like other reads. */
export function usePages<const Address extends string, Row>(
  path: Known<PageRoute<Address>, Address>,
  rowsOf: (page: Read<Address>) => readonly Row[],
  { refetch_ms }: { refetch_ms?: number } = {},
): Pages<Row> {
  type Page = Read<Address> & { next_cursor: string | null };
  const query = useInfiniteQuery<Page, Error, InfiniteData<Page>, readonly unknown[], string>({
    queryKey: [path, "pages"],
    queryFn: ({ pageParam, signal }) => ask<Page>(withCursor(path, pageParam), { signal }),
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
