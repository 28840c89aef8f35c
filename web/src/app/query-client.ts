import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api.ts";
import { whenServiceIsBack } from "./service-reach.ts";

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

// What failed meanwhile loads again by itself. What is on screen does not: some reads are audited.
whenServiceIsBack(() => void queryClient.refetchQueries({ predicate: ({ state }) => state.status === "error" }));
