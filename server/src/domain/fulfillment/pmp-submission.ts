/** What a report to a state's prescription monitoring program is for. `zero`: no controlled substance was dispensed. */
const submissionKinds = ["new", "zero", "revise", "void"] as const;
export type SubmissionKind = (typeof submissionKinds)[number];

export const submissionStatuses = ["prepared", "submitted", "accepted", "rejected"] as const;
export type SubmissionStatus = (typeof submissionStatuses)[number];

/** Which status can follow. A rejected file is corrected and reported again, as a new submission. */
const following: Record<SubmissionStatus, readonly SubmissionStatus[]> = {
  prepared: ["submitted"],
  submitted: ["accepted", "rejected"],
  accepted: [],
  rejected: [],
};

export const mayFollow = (before: SubmissionStatus, after: SubmissionStatus): boolean =>
  following[before].includes(after);

/** The statuses that a person can set. */
export const markedStatuses = submissionStatuses.filter((status) => status !== "prepared");

/**
 * Whether a fill can be revised or voided: the program has it, and no void removed it. `kinds` are the submitted reports
 * with the fill, oldest first.
 */
export const isOnFile = (kinds: readonly SubmissionKind[]): boolean => kinds.length > 0 && kinds.at(-1) !== "void";
