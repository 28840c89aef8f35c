import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

/** Retries network errors and 5xx twice. Never retries 4xx. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 10 * 60_000,
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});
