import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { api } from "./api.ts";

type Options = {
  enabled?: boolean;
  refetch_ms?: number;
  /**
   * The server audits this read, so fetch it only when the user opens or reloads the screen, never in the background.
   */
  written_down?: boolean;
};

/** A GET request, cached by path. Screens that read the same path share one response. */
export const useApi = <T>(path: string, { enabled, refetch_ms, written_down }: Options = {}): UseQueryResult<T> =>
  useQuery<T>({
    queryKey: [path],
    queryFn: ({ signal }) => api<T>(path, { signal }),
    ...(enabled !== undefined && { enabled }),
    ...(refetch_ms !== undefined && { refetchInterval: refetch_ms }),
    ...(written_down && { staleTime: 0, gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false }),
  });
