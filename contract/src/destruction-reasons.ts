/** Why units are destroyed. `also` is what the law requires of a controlled substance in addition. */
export const destructionReasons = {
  expired: { says: "The lot has expired.", also: "Record them on DEA Form 41 (21 CFR 1304.21(e))." },
  returned: {
    says: "The parcel came back, and its storage is unknown.",
    also: "Record them on DEA Form 41 (21 CFR 1304.21(e)).",
  },
  recalled: {
    says: "The manufacturer recalled the lot.",
    also: "Follow the recall notice. A controlled substance goes back by DEA Form 222 or an invoice (21 CFR 1317.05).",
  },
  damaged: { says: "Units are spilled, broken or unusable.", also: "Record them on DEA Form 41 (21 CFR 1304.21(e))." },
} as const satisfies Record<string, { says: string; also: string }>;
export type DestructionReason = keyof typeof destructionReasons;
export const destructionReasonNames = Object.keys(destructionReasons) as [DestructionReason, ...DestructionReason[]];
