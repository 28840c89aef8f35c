import { useCallback, useEffect, useState } from "react";

/** Service details from `/welcome.json`. */
export type Welcome = {
  operator_name: string;
  version: string;
  base_url: string;
  auth_url: string;
  sandbox_auth_url: string;
  demo: boolean;
};

export type WelcomeRequest = { phase: "loading" | "failed" } | { phase: "loaded"; welcome: Welcome };

/** Loads `/welcome.json` once. After a failure, it retries on `retry` or when the service becomes ready. */
export function useWelcome(ready: boolean): { request: WelcomeRequest; retry: () => void } {
  const [request, setRequest] = useState<WelcomeRequest>({ phase: "loading" });
  const [attempt, setAttempt] = useState(0);
  const loaded = request.phase === "loaded";

  // biome-ignore lint/correctness/useExhaustiveDependencies: refetch on a new attempt or when the service becomes ready
  useEffect(() => {
    if (loaded) return;
    const closed = new AbortController();
    fetchWelcome(closed.signal).then(
      (welcome) => setRequest({ phase: "loaded", welcome }),
      () => closed.signal.aborted || setRequest({ phase: "failed" }),
    );
    return () => closed.abort();
  }, [attempt, ready, loaded]);

  const retry = useCallback(() => {
    setRequest({ phase: "loading" });
    setAttempt((count) => count + 1);
  }, []);

  return { request, retry };
}

async function fetchWelcome(signal: AbortSignal): Promise<Welcome> {
  const response = await fetch("/welcome.json", { headers: { Accept: "application/json" }, signal });
  if (!response.ok) throw new Error(`welcome.json: HTTP ${response.status}`);
  return (await response.json()) as Welcome;
}
