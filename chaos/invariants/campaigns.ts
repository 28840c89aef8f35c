/** The campaigns that check invariants. The others measure answers: `mutations`, `contract`, `neighbors`, `hostile`. */
export const campaigns = [
  "kills",
  "intake",
  "restarts",
  "network",
  "soak",
  "races",
  "lifecycle",
  "safety",
  "year",
  "day",
  "money",
  "webhooks",
  "sdk",
  "failover",
  "recovery",
  "distribute",
  "versions",
] as const;
export type Campaign = (typeof campaigns)[number];
