import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ask } from "./api.ts";
import type { JsonRoute, Known, Read } from "./api-path.ts";

type Options = {
  enabled?: boolean;
  refetch_ms?: number;
  /**
   * The server audits this read, so fetch it only when the user opens or reloads the screen, never in the background.
   */
  written_down?: boolean;
};

/** A GET request, cached by path. Screens that read the same path share one response. */
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
