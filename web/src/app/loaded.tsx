import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Skeleton } from "../ui/notice.tsx";
import { ApiError } from "./api.ts";
import { NotFound } from "./not-found.tsx";
import { Problem } from "./problem.tsx";

/** What a read has come to: still loading, failed, not there, or the answer. */
export function Loaded<T>({
  query,
  lines = 4,
  children,
}: {
  query: UseQueryResult<T>;
  /** Of the skeleton. */
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
