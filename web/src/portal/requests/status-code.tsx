import { Badge } from "../../ui/badge.tsx";

/** An HTTP status, colored by class. */
export const StatusCode = ({ status }: { status: number }) => (
  <Badge tone={status >= 500 ? "bad" : status >= 400 ? "wait" : "good"}>{status}</Badge>
);

export const durationText = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
