import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { toast } from "../ui/display/toast.tsx";
import type { ReadPrefix } from "./api-path.ts";

export type Change<Given extends unknown[], Answer> = {
  /** Undefined on failure; `error` has the reason. */
  run: (...given: Given) => Promise<Answer | undefined>;
  busy: boolean;
  error: unknown;
  forget: () => void;
};

/**
 * A mutation. Calls to `run` while one is in flight do nothing. On success it refetches the queries whose path starts
 * with one of `reads`.
 */
export function useChange<Given extends unknown[], Answer>(
  send: (...given: Given) => Promise<Answer>,
  { done, reads = [], after }: { done?: string; reads?: readonly ReadPrefix[]; after?: (answer: Answer) => void } = {},
): Change<Given, Answer> {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(false);
  const run = async (...given: Given) => {
    if (running.current) return undefined;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      const answer = await send(...given);
      void queries.invalidateQueries({
        predicate: ({ queryKey: [key] }) => reads.some((read) => typeof key === "string" && key.startsWith(read)),
      });
      if (done !== undefined) toast(done);
      after?.(answer);
      return answer;
    } catch (caught) {
      setError(caught);
      return undefined;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { run, busy, error, forget: () => setError(null) };
}
