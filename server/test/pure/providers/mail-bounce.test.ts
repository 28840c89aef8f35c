import { expect, test } from "vitest";
import { readBounce } from "../../../src/domain/operations/mail-bounce.ts";
import { bounceOf } from "../../support/samples/bounces.ts";

const message_id = "7d444840-9dc0-4e32-a1c4-0e0d1a2b3c4d";
const header = `<${message_id}@larkspur.example>`;

test("a returned letter is read, with either end of line and with its headers alone", () => {
  expect(readBounce(bounceOf(header))).toEqual({ message_id, code: "bounced_5.1.1" });
  const expired = bounceOf(header.toUpperCase(), { eol: "\n", status: "4.4.7 (delivery time expired)" });
  expect(readBounce(expired)).toEqual({ message_id, code: "bounced_4.4.7" });
  const headers = bounceOf(header).replace("Content-Type: message/rfc822", "content-type: text/rfc822-headers");
  expect(readBounce(headers)).toEqual({ message_id, code: "bounced_5.1.1" });
  expect(readBounce(bounceOf(header, { status: "rosa@example.com" }))).toEqual({ message_id, code: "bounced" });
});

test("other mail is not a returned letter", () => {
  for (const action of ["delayed", "relayed", "delivered", "expanded", ""])
    expect(readBounce(bounceOf(header, { action }))).toBeNull();
  expect(readBounce(bounceOf("<not-ours@larkspur.example>"))).toBeNull();
  expect(readBounce(bounceOf(header).replace("multipart/report", "multipart/mixed"))).toBeNull();
  expect(readBounce(bounceOf(header).replace("message/delivery-status", "text/plain"))).toBeNull();
  expect(readBounce(bounceOf(header).replace("boundary=", "border="))).toBeNull();
  expect(readBounce(`Subject: Out of office\r\n\r\nAction: failed\r\nMessage-ID: ${header}\r\n`)).toBeNull();
  expect(readBounce("")).toBeNull();
});
