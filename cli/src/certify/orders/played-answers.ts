import { bearerErrors, detailMessage, errorDocUrl, messageOf, statusMessages } from "@pestle/contract";

export type Reply = { status: number; headers: Record<string, string>; body: string };

const json = (status: number, body: object, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", "x-request-id": crypto.randomUUID(), ...headers },
  body: JSON.stringify(body),
});

const statusReply = (base_url: string, status: 409 | 429 | 500 | 503, headers?: Record<string, string>): Reply => {
  const error = { error_code: status, message: statusMessages[status], doc_url: errorDocUrl(base_url, status) };
  return json(status, { error }, headers);
};

const PAGE =
  "<html><head><title>503 Service Unavailable</title></head><body><h1>Service Unavailable</h1></body></html>";

/** Answers with the bodies and headers that the service has for these errors. */
export const playedAnswers = {
  unavailable: (base_url: string, retry_after_s: number) =>
    statusReply(base_url, 503, { "retry-after": String(retry_after_s) }),
  rate_limited: (base_url: string, retry_after_s: number) =>
    statusReply(base_url, 429, { "retry-after": String(retry_after_s) }),
  gateway_page: (): Reply => ({ status: 503, headers: { "content-type": "text/html" }, body: PAGE }),
  in_progress: (base_url: string) => statusReply(base_url, 409),
  broken: (base_url: string) => statusReply(base_url, 500),
  refused: (base_url: string): Reply => {
    const error_detail = [{ field: "items[0].quantity", message: detailMessage(42253) }];
    return json(422, {
      errors: [{ code: 42253, message: messageOf(42253), error_detail, doc_url: errorDocUrl(base_url, 42253) }],
    });
  },
  token_ended: (base_url: string): Reply => {
    const [status, error_description] = bearerErrors.invalid_token;
    return json(
      status,
      { error: "invalid_token", error_description, doc_url: errorDocUrl(base_url, "invalid_token") },
      { "www-authenticate": 'Bearer realm="partners", error="invalid_token"' },
    );
  },
} as const;
