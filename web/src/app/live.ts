import { useEffect, useRef } from "react";
import { readSession } from "./session.ts";

const AGAIN_MS = 5_000;

/**
 * Listens to server-sent events, below `/web`. The browser connects again by itself, but gives up where it is refused:
 * then the session is looked at, and once somebody is signed in it is tried again.
 */
export function useLive(path: string, event: string, onEvent: (data: unknown) => void): void {
  const handler = useRef(onEvent);
  handler.current = onEvent;
  useEffect(() => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const connect = () => {
      source = new EventSource(`/web${path}`);
      source.addEventListener(event, (message) => handler.current(JSON.parse(message.data as string)));
      source.onerror = () => {
        if (source.readyState !== EventSource.CLOSED) return;
        void readSession();
        timer = setTimeout(connect, AGAIN_MS);
      };
    };
    connect();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [path, event]);
}
