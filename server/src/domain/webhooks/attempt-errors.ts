/** Why an attempt failed. The code is stored with the attempt, and users see the sentence. */
export const attemptErrors = {
  status: "The endpoint answered with a status that is not 2xx.",
  redirect: "The endpoint answered with a redirect, which Pestle does not follow.",
  gone: "The endpoint answered 410: it wants no further events.",
  blocked_address: "The URL leads to an address that webhooks cannot be sent to.",
  unknown_host: "The host name of the URL has no address.",
  connect_timeout: "No connection within 5 seconds.",
  refused: "The connection was refused.",
  tls: "The endpoint's certificate is not valid for the URL, or the TLS connection failed.",
  timeout: "No response within 15 seconds.",
  reset: "The connection was closed before the response was complete.",
  not_http: "The response is not HTTP.",
  not_signed: "The request could not be signed because the endpoint's secrets could not be decrypted.",
  internal: "The attempt failed on our side before anything was sent.",
} as const;
export type AttemptError = keyof typeof attemptErrors;

/** Maps an error name of the network to a code. */
export function attemptErrorOf(code: string): AttemptError {
  if (Object.hasOwn(codes, code)) return codes[code as keyof typeof codes];
  if (/CERT|SSL|TLS|SIGNED|ALTNAME/.test(code)) return "tls";
  if (/^HPE_/.test(code)) return "not_http";
  return "reset";
}

const codes = {
  BLOCKED_ADDRESS: "blocked_address",
  ENOTFOUND: "unknown_host",
  EAI_AGAIN: "unknown_host",
  ENODATA: "unknown_host",
  ESERVFAIL: "unknown_host",
  EREFUSED: "unknown_host",
  ETIMEOUT: "unknown_host",
  EBADNAME: "unknown_host",
  UND_ERR_CONNECT_TIMEOUT: "connect_timeout",
  ETIMEDOUT: "connect_timeout",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  ENETUNREACH: "refused",
  EADDRNOTAVAIL: "refused",
  EPROTO: "tls",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  DEADLINE: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "not_http",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "reset",
  NOT_SIGNED: "not_signed",
  INTERNAL: "internal",
} as const satisfies Record<string, AttemptError>;
