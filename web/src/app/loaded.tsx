import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Skeleton } from "../ui/display/notice.tsx";
import { ApiError } from "./api.ts";
import { Problem } from "./problem.tsx";
import { NotFound } from "./shell/not-found.tsx";

/** Renders a query's state: loading, error, not found, or data. */
export function Loaded<T>({
  query,
  lines = 4,
  children,
}: {
  query: UseQueryResult<T>;
  /** Number of skeleton lines. */
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isRefetchError && <Problem error={query.error} retry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error === null) return <Skeleton lines={lines} />;
  if (query.error instanceof ApiError && query.error.status === 404) return <NotFound />;
  return <Problem error={query.error} retry={() => void query.refetch()} />;
}
