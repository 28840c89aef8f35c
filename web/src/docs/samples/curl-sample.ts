import type { DescribedCall } from "./described-call.ts";

/** For a POSIX shell. */
export function curlSample({ method, url, bearer, idempotent, body }: DescribedCall): string {
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    "-H 'Accept: application/json'",
    ...(bearer ? ['-H "Authorization: Bearer $PESTLE_TOKEN"'] : []),
    ...(idempotent ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body ? bodyLines(body) : []),
  ];
  return lines.join(" \\\n  ");
}

function bodyLines({ content_type, example }: NonNullable<DescribedCall["body"]>): string[] {
  if (content_type === "application/x-www-form-urlencoded") {
    return Object.entries(example as object).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`);
  }
  const text = typeof example === "string" ? example : JSON.stringify(example, null, 2);
  return [`-H ${quoted(`Content-Type: ${content_type}`)}`, `--data-raw ${quoted(text)}`];
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
