import type { ServiceState } from "./service-state.ts";

const words: Record<ServiceState, { title: string; detail: string }> = {
  checking: { title: "Checking", detail: "Checking the service." },
  ready: { title: "Ready", detail: "The service is accepting requests." },
  starting: {
    title: "Starting",
    detail: "The service is up and waiting for its database. This page checks again automatically.",
  },
  unavailable: {
    title: "Unavailable",
    detail: "The service is not responding. This page checks again automatically.",
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
      {/* Outside the live region, so screen readers do not announce the time at every check. */}
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
