import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";

/** What was refused is not asked again; what could not be reached, twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 10 * 60_000,
      retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
    },
  },
});
