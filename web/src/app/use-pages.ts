import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { ask } from "./api.ts";
import type { JsonRoute, Known, Read } from "./api-path.ts";

export type Pages<Row, Page = unknown> = {
  query: Pick<UseInfiniteQueryResult, "data" | "error" | "isRefetchError" | "refetch" | "isFetching">;
  rows: readonly Row[];
  /** The loaded answers, for what a page has besides its rows. */
  pages: readonly Page[];
  more: boolean;
  onMore: () => void;
};

export type PageRoute<Address extends string> =
  Read<Address> extends { next_cursor: string | null } ? JsonRoute<"GET", Address> : never;

/** A paginated list, cached by path like other reads. */
export function usePages<const Address extends string, Row>(
  path: Known<PageRoute<Address>, Address>,
  rowsOf: (page: Read<Address>) => readonly Row[],
  {
    refetch_ms,
    written_down,
  }: {
    refetch_ms?: number;
    /** The server audits this read, so fetch it only when the user opens or reloads the screen. */
    written_down?: boolean;
  } = {},
): Pages<Row, Read<Address>> {
  type Page = Read<Address> & { next_cursor: string | null };
  const query = useInfiniteQuery<Page, Error, InfiniteData<Page>, readonly unknown[], string>({
    queryKey: [path, "pages"],
    queryFn: ({ pageParam, signal }) => ask<Page>(withCursor(path, pageParam), { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...(written_down && { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false }),
    // Stop polling once older pages are loaded; a refetch would shift the rows.
    ...(refetch_ms !== undefined && {
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : refetch_ms),
    }),
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const pages = query.data?.pages ?? [];
  return { query, pages, rows: pages.flatMap(rowsOf), more: hasNextPage, onMore };
}

/** All pages of a list, one after the other, up to a number of rows. */
export async function readPages<Address extends string, Row>(
  path: string,
  rowsOf: (page: Read<Address>) => readonly Row[],
  most: number,
): Promise<{ rows: readonly Row[]; more: boolean }> {
  const rows: Row[] = [];
  let cursor: string | null = "";
  while (cursor !== null && rows.length < most) {
    const page: Read<Address> & { next_cursor: string | null } = await ask(withCursor(path, cursor));
    rows.push(...rowsOf(page));
    cursor = page.next_cursor;
  }
  return { rows: rows.slice(0, most), more: cursor !== null || rows.length > most };
}

const withCursor = (path: string, cursor: string) =>
  cursor === "" ? path : `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`;
