import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { api } from "./api.ts";

/** A read, kept by its address: two screens that ask for the same share one answer. */
export const useApi = <T>(path: string, options: { enabled?: boolean; refetch_ms?: number } = {}): UseQueryResult<T> =>
  useQuery<T>({
    queryKey: [path],
    queryFn: ({ signal }) => api<T>(path, { signal }),
    ...(options.enabled !== undefined && { enabled: options.enabled }),
    ...(options.refetch_ms !== undefined && { refetchInterval: options.refetch_ms }),
  });
