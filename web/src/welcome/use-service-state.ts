import { useEffect, useState } from "react";
import { type ServiceState, serviceState } from "./service-state.ts";

const READY_POLL_MS = 5000;
const UNREADY_POLL_MS = 1500;
const PROBE_TIMEOUT_MS = 4000;

/** Polls the service's state while the page is visible. */
export function useServiceState(): { state: ServiceState; checkedAt: Date | null } {
  const [seen, setSeen] = useState<{ state: ServiceState; checkedAt: Date | null }>({
    state: "checking",
    checkedAt: null,
  });

  useEffect(() => {
    const closed = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asking = false;

    async function ask() {
      clearTimeout(timer);
      if (asking) return;
      asking = true;
      const [healthz, readyz] = await Promise.all([probe("/healthz", closed.signal), probe("/readyz", closed.signal)]);
      asking = false;
      if (closed.signal.aborted) return;
      const state = serviceState({ healthz, readyz });
      setSeen({ state, checkedAt: new Date() });
      if (!document.hidden) timer = setTimeout(ask, state === "ready" ? READY_POLL_MS : UNREADY_POLL_MS);
    }

    function onVisibility() {
      if (document.hidden) clearTimeout(timer);
      else void ask();
    }

    void ask();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      closed.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, []);

  return seen;
}

async function probe(path: string, closed: AbortSignal): Promise<number | null> {
  try {
    const signal = AbortSignal.any([closed, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
    return (await fetch(path, { cache: "no-store", signal })).status;
  } catch {
    return null;
  }
}
