import type { AuditLine } from "@pestle/contract";
import { type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../../app/api.ts";
import type { Filters } from "../../app/use-address.ts";

const names = ["person_id", "action", "account_id", "subject", "patient_id"] as const;

/** Loads the audit log page by page. */
export function useAudit(filters: Filters): {
  query: UseInfiniteQueryResult;
  entries: readonly AuditLine[];
  more: boolean;
} {
  const asked = names.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]]]));
  const search = new URLSearchParams(asked).toString();
  const query = useInfiniteQuery({
    queryKey: [`/dashboard/audit?${search}`, "pages"],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === null ? [] : [["before", String(pageParam)]];
      return api(`/dashboard/audit?${new URLSearchParams([...asked, ...before])}`, { signal });
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  return { query, entries: query.data?.pages.flatMap((page) => page.entries) ?? [], more: query.hasNextPage };
}
