import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ask } from "./api.ts";
import type { JsonRoute, Known, Read } from "./api-path.ts";

type Options = {
  enabled?: boolean;
  refetch_ms?: number;
  /** The server writes down who looked: so it is read when somebody comes or asks, and not by itself. */
  written_down?: boolean;
};

/** A read, kept by its address: two screens that ask for the same share one answer. */
export const useApi = <const Address extends string>(
  path: Known<JsonRoute<"GET", Address>, Address>,
  { enabled, refetch_ms, written_down }: Options = {},
): UseQueryResult<Read<Address>> =>
  useQuery<Read<Address>>({
    queryKey: [path],
    queryFn: ({ signal }) => ask<Read<Address>>(path, { signal }),
    ...(enabled !== undefined && { enabled }),
    ...(refetch_ms !== undefined && { refetchInterval: refetch_ms }),
    ...(written_down && { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false }),
  });
