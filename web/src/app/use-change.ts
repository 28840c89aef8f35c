import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { toast } from "../ui/display/toast.tsx";
import type { ReadPrefix } from "./api-path.ts";

export type Change<Given extends unknown[], Answer> = {
  /** Undefined where it failed: then `error` says why. */
  run: (...given: Given) => Promise<Answer | undefined>;
  busy: boolean;
  error: unknown;
  forget: () => void;
};

/**
 * Something that is sent once: while it is under way, running it again does nothing. Afterwards the reads whose
 * addresses begin with one of `reads` are read again.
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
