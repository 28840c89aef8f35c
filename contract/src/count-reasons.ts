/** Why a count of a controlled substance differs from the ledger. `also` is what the law requires in addition. */
export const countReasons = {
  counting_error: { says: "An earlier count or entry was wrong.", also: null },
  unrecorded_receipt: { says: "A delivery was not recorded.", also: null },
  unrecorded_return: { says: "A package returned to the shelf was not recorded.", also: null },
  dispensing_error: {
    says: "A package had another quantity than its label.",
    also: "Notify the pharmacist in charge.",
  },
  breakage: {
    says: "Units were spilled or broken.",
    also: "Record them on DEA Form 41 if they are not recoverable (21 CFR 1304.21(e)).",
  },
  removed: {
    says: "Units were returned to the supplier, sent to a reverse distributor or destroyed.",
    also: "Keep the record of the transfer (21 CFR 1304.22, 1317.05).",
  },
  theft_or_loss: {
    says: "Units were stolen or lost.",
    also: "Notify the DEA in writing within one business day and file DEA Form 106 (21 CFR 1301.76(b)).",
  },
} as const satisfies Record<string, { says: string; also: string | null }>;
export type CountReason = keyof typeof countReasons;
export const countReasonNames = Object.keys(countReasons) as [CountReason, ...CountReason[]];

/** An explanation of a difference has at least this many characters. */
export const EXPLANATION_CHARACTERS = 10;
