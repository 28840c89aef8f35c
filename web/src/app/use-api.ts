import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { api } from "./api.ts";

type Options = {
  enabled?: boolean;
  refetch_ms?: number;
  /** The server writes down who looked: so it is read when somebody comes or asks, and not by itself. */
  written_down?: boolean;
};

/** A read, kept by its address: two screens that ask for the same share one answer. */
export const useApi = <T>(path: string, { enabled, refetch_ms, written_down }: Options = {}): UseQueryResult<T> =>
  useQuery<T>({
    queryKey: [path],
    queryFn: ({ signal }) => api<T>(path, { signal }),
    ...(enabled !== undefined && { enabled }),
    ...(refetch_ms !== undefined && { refetchInterval: refetch_ms }),
    ...(written_down && { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false }),
  });
