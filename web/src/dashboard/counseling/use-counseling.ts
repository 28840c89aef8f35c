import type { CounselingFill, CounselingState } from "@pestle/contract";
import { type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { addressOf, api } from "../../app/api.ts";

/** Loads the call list page by page. The server audits it, so it loads when the user opens or refreshes it. */
export function useCounseling(
  show: CounselingState,
  environment: string | undefined,
  enabled: boolean,
): { query: UseInfiniteQueryResult; fills: readonly CounselingFill[]; more: boolean } {
  const asked = { show, environment };
  const query = useInfiniteQuery({
    queryKey: [addressOf("/dashboard/counseling", asked), "pages"],
    queryFn: ({ pageParam, signal }) =>
      api(addressOf("/dashboard/counseling", { ...asked, cursor: pageParam ?? undefined }), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return { query, fills: query.data?.pages.flatMap((page) => page.fills) ?? [], more: query.hasNextPage };
}

export const fillKey = ({ account_id, order_number, item_id }: CounselingFill): `${string}/${string}/${number}` =>
  `${account_id}/${order_number}/${item_id}`;
