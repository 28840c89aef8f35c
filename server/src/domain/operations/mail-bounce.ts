import { isUuid } from "../values/identifiers.ts";

/** A letter of ours that a mail server took and could not deliver. `code` names the reason, such as `bounced_5.1.1`. */
export type MailBounce = { message_id: string; code: string };

/**
 * Reads a delivery status notification (RFC 3464), as mail servers return it to the sender. Null if the mail is another one,
 * reports a delay or a success, or names no letter of ours.
 */
export function readBounce(mail: string): MailBounce | null {
  const whole = readEntity(mail);
  if (!/^multipart\/report\b/i.test(whole.type) || whole.boundary === null) return null;
  const parts = partsOf(whole.content, whole.boundary).map(readEntity);
  const report = parts.find(({ type }) => /^message\/(global-)?delivery-status\b/i.test(type));
  const letter = parts.find(({ type }) =>
    /^(message\/(rfc822|global|global-headers)|text\/rfc822-headers)\b/i.test(type),
  );
  if (report === undefined || letter === undefined) return null;
  // Fields about the report come first, then those of each recipient. Our letters have one recipient.
  const failed = groupsOf(report.content).find((fields) => /^failed\b/i.test(fields.get("action") ?? ""));
  if (failed === undefined) return null;
  const message_id = /^<([^@>]+)@/.exec(readFields(letter.content).get("message-id") ?? "")?.[1]?.toLowerCase();
  if (!isUuid(message_id)) return null;
  const status = /^[245]\.\d{1,3}\.\d{1,3}(?!\S)/.exec(failed.get("status") ?? "")?.[0];
  return { message_id, code: status === undefined ? "bounced" : `bounced_${status}` };
}

type Entity = { type: string; boundary: string | null; content: string };

function readEntity(text: string): Entity {
  const lines = text.replaceAll("\r\n", "\n");
  const end = lines.startsWith("\n") ? 0 : lines.indexOf("\n\n");
  const type = readFields(lines).get("content-type") ?? "text/plain";
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type) ?? [];
  return { type, boundary: quoted ?? plain ?? null, content: end < 0 ? "" : lines.slice(end).replace(/^\n+/, "") };
}

/** The fields up to the first empty line, by their names in lower case. A line that begins with a space goes on. */
function readFields(text: string): Map<string, string> {
  const [head = ""] = text.replaceAll("\r\n", "\n").split("\n\n", 1);
  const unfolded = head.replace(/\n[ \t]+/g, " ");
  const fields = unfolded.split("\n").flatMap((line): [string, string][] => {
    const colon = line.indexOf(":");
    return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
  });
  // The first of a name counts, as for the mail servers that wrote them.
  return new Map(fields.reverse());
}

const groupsOf = (content: string): Map<string, string>[] =>
  content
    .split(/\n{2,}/)
    .filter((group) => group.trim() !== "")
    .map(readFields);

/** What is between the lines with the boundary. */
const partsOf = (content: string, boundary: string): string[] =>
  `\n${content}`
    .split(`\n--${boundary}`)
    .slice(1)
    .filter((part) => !part.startsWith("--"))
    .map((part) => part.slice(part.indexOf("\n") + 1));
