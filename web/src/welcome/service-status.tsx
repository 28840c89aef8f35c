import type { ServiceState } from "./service-state.ts";

const words: Record<ServiceState, { title: string; detail: string }> = {
  checking: { title: "Checking", detail: "Asking the service how it is." },
  ready: { title: "Ready", detail: "The service takes requests." },
  starting: {
    title: "Starting",
    detail: "The service is up and waits for its database. This page keeps asking.",
  },
  unavailable: {
    title: "Unavailable",
    detail: "Nothing answers at this address right now. This page keeps asking.",
  },
};

export function ServiceStatus({ state, checkedAt }: { state: ServiceState; checkedAt: Date | null }) {
  const { title, detail } = words[state];
  return (
    <section className="status" data-state={state} aria-label="Service status">
      <div role="status" className="status-words">
        <span className="status-dot" aria-hidden="true" />
        <strong>{title}</strong>
        <span className="status-detail">{detail}</span>
      </div>
      {/* Outside the live region, so that a screen reader does not read out the time at every check. */}
      <span className="status-time">
        {checkedAt ? (
          <>
            Checked at <time dateTime={checkedAt.toISOString()}>{checkedAt.toLocaleTimeString()}</time>
          </>
        ) : (
          "Not checked yet"
        )}
      </span>
    </section>
  );
}
