/** Where what an attempt sent and got back stands, for the vault. */
export const attemptPlace = (account_id: string, event_id: string, endpoint_id: string, attempt: number) =>
  `webhook_attempt.exchange_sealed ${account_id} ${event_id} ${endpoint_id} ${attempt}`;

/** What is kept of an attempt, sealed: a URL may hold a token, and an endpoint may answer with anything. */
export type KeptExchange = {
  url: string;
  webhook_timestamp: number;
  response_type: string | null;
  /** The first 4 KiB, as text. */
  response_body: string;
};
