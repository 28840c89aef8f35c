import { useEffect, useRef } from "react";
import type { Events, Known, StreamRoute } from "./api-path.ts";
import { readSession } from "./sign-in/session.ts";

const AGAIN_MS = 5_000;

/**
 * Subscribes to server-sent events under `/web`. Browsers limit connections per host and users open many tabs, so one
 * tab holds the connection and broadcasts to the others.
 */
export function useLive<const Address extends string, const Name extends keyof Events<Address> & string>(
  path: Known<StreamRoute<Address>, Address>,
  event: Name,
  onEvent: (data: Events<Address>[Name]) => void,
): void {
  const handler = useRef(onEvent);
  handler.current = onEvent;
  useEffect(() => {
    const name = `pestle-live ${path} ${event}`;
    const others = new BroadcastChannel(name);
    const closed = new AbortController();
    others.onmessage = ({ data }) => handler.current(data);
    const listen = () =>
      untilClosed<Events<Address>[Name]>(path, event, closed.signal, (data) => {
        handler.current(data);
        others.postMessage(data);
      });
    // Web Locks need a secure context. Without one, each tab opens its own connection.
    if (navigator.locks === undefined) void listen();
    else navigator.locks.request(name, { signal: closed.signal }, listen).catch(() => {});
    return () => {
      closed.abort();
      others.close();
    };
  }, [path, event]);
}

/**
 * The browser reconnects on its own, but gives up on an error status. In that case, check the session and reconnect
 * after a delay.
 */
function untilClosed<Data>(
  path: string,
  event: string,
  signal: AbortSignal,
  onData: (data: Data) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const connect = () => {
      source = new EventSource(`/web${path}`);
      source.addEventListener(event, (message) => onData(JSON.parse(message.data as string) as Data));
      source.onerror = () => {
        if (source.readyState !== EventSource.CLOSED) return;
        void readSession();
        timer = setTimeout(connect, AGAIN_MS);
      };
    };
    connect();
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      source.close();
      resolve();
    });
  });
}
