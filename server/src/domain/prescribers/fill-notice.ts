import type { AskedMessage } from "./compose-message.ts";
import type { FillStatus } from "./pharmacy-message.ts";

/** What a notice tells the prescriber about a fill. */
export const fillReports = {
  dispensed: { status: "dispensed", note: null },
  partially_dispensed: { status: "partially_dispensed", note: "Less than the prescribed quantity was dispensed." },
  not_dispensed: { status: "not_dispensed", note: "The order was canceled. Nothing was dispensed." },
  // The standard has no status for a parcel that came back, so the note says it.
  returned: { status: "not_dispensed", note: "The parcel came back. The patient did not receive it." },
} as const satisfies Record<string, { status: FillStatus; note: string | null }>;
export type FillReport = keyof typeof fillReports;

export const fillNotice = (fill: FillReport, units: number): AskedMessage => ({
  kind: "fill",
  ...fillReports[fill],
  units: fillReports[fill].status === "not_dispensed" ? null : units,
});
