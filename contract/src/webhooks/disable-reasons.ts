/** Why the service disabled an endpoint. The account's other endpoints, the feed and the notice show it. */
export const disableReasons = {
  gone: "The endpoint answered 410 Gone.",
  failing: "Every attempt of the last five days failed.",
} as const;
export type DisableReason = keyof typeof disableReasons;
