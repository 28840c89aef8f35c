import { type DashboardOrderRow, type DashboardOrders, dashboardOrderFilters } from "@pestle/contract";
import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef } from "react";
import { api } from "../../app/api.ts";
import type { Filters } from "../../app/use-address.ts";

const PAGE_ROWS = 200;
type Pages = InfiniteData<DashboardOrders, string | null>;

/** The URL parameters that the server filters by. */
export const filterSearch = (filters: Filters): string =>
  new URLSearchParams(
    dashboardOrderFilters.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  ).toString();

const readPage = (search: string, cursor: string | null, signal?: AbortSignal) =>
  api(
    `/dashboard/orders?${search}&limit=${PAGE_ROWS}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    { ...(signal && { signal }) },
  );

/**
 * Loads a table's orders page by page as the user scrolls. `refresh` reloads the visible pages and drops those below,
 * which load again on scroll, so a list of 100,000 is never fetched at once.
 */
export function useOrders(search: string) {
  const queries = useQueryClient();
  const key = useMemo(() => ["orders", search], [search]);
  const query = useInfiniteQuery<DashboardOrders, Error, Pages, string[], string | null>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage(search, pageParam, signal),
    initialPageParam: null,
    getNextPageParam: ({ next }) => next,
    // Comparing every row takes longer than rerendering the visible ones.
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    placeholderData: (before) => before,
  });
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage, isPlaceholderData } = query;
  const rows = useMemo<readonly DashboardOrderRow[]>(() => data?.pages.flatMap(({ orders }) => orders) ?? [], [data]);
  const more = hasNextPage && !isPlaceholderData;
  const loadMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);

  const running = useRef(false);
  const refresh = useCallback(
    async (first_row: number, last_row: number) => {
      const before = queries.getQueryData<Pages>(key);
      if (before === undefined || running.current) return;
      running.current = true;
      try {
        const first = pageAt(before, first_row);
        const last = pageAt(before, last_row);
        const pages = before.pages.slice(0, first);
        const pageParams = before.pageParams.slice(0, first);
        let cursor = before.pageParams[first] ?? null;
        for (let at = first; at <= last; at++) {
          const page = await readPage(search, cursor);
          pages.push(page);
          pageParams.push(cursor);
          if (page.next === null) break;
          cursor = page.next;
        }
        queries.setQueryData<Pages>(key, { pages, pageParams });
      } catch {
        // Keep the current rows. The next update or a manual refresh retries.
      } finally {
        running.current = false;
      }
    },
    [queries, key, search],
  );
  return { query, rows, more, loadMore, refresh };
}

function pageAt({ pages }: Pages, row: number): number {
  let seen = 0;
  const at = pages.findIndex(({ orders }) => {
    seen += orders.length;
    return row < seen;
  });
  return at === -1 ? Math.max(0, pages.length - 1) : at;
}
