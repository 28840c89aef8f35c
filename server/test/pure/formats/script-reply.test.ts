import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Envelope } from "../../../src/domain/intake/incoming-message.ts";
import { type DescriptionCode, intakeRefusals, refusalFor } from "../../../src/domain/intake/intake-refusals.ts";
import { type ScriptReply, writeReply } from "../../../src/formats/script/reply.ts";
import { scriptVersions } from "../../../src/formats/script/version.ts";
import { child, parseXml, type XmlElement } from "../../../src/formats/script/xml.ts";
import { envelope, writable } from "../../support/samples/script-samples.ts";
import { effort } from "../../support/tools/effort.ts";

const given = { message_id: "PESTLE-1", sent_time: "2026-11-15T08:30:00.000Z" };

/** As nested names and texts, which is all that a receiver sees. */
function seen(xml: string): XmlElement {
  const parsed = parseXml(new TextEncoder().encode(xml));
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.root;
}
type Plain = string | [string, Plain][];
const plain = (element: XmlElement): Plain =>
  element.children.length === 0 ? element.text : element.children.map((next) => [next.name, plain(next)]);
const bodyOf = (xml: string) => plain(seen(xml).children.find(({ name }) => name === "Body") as XmlElement);
const answered = (reply: ScriptReply, to: Envelope | null = envelope("2017071")) => writeReply(to, reply, given);

const replies: [string, ScriptReply, Plain][] = [
  ["accepted", { kind: "status", code: "010" }, [["Status", [["Code", "010"]]]]],
  ["queued", { kind: "status", code: "000" }, [["Status", [["Code", "000"]]]]],
  ["receipt", { kind: "verify" }, [["Verify", [["VerifyStatus", [["Code", "010"]]]]]]],
  [
    "refused",
    { kind: "error", refusal: refusalFor("204", "135") },
    [
      [
        "Error",
        [
          ["Code", "900"],
          ["DescriptionCode", "204"],
          ["DescriptionCode", "135"],
          ["Description", intakeRefusals["204"][1]],
        ],
      ],
    ],
  ],
  ["canceled", { kind: "cancel_approved", note: null }, [["CancelRxResponse", [["Response", [["Approved", ""]]]]]]],
  [
    "canceled, with a note",
    { kind: "cancel_approved", note: "Nothing was dispensed." },
    [["CancelRxResponse", [["Response", [["Approved", [["Note", "Nothing was dispensed."]]]]]]]],
  ],
  [
    "not canceled",
    { kind: "cancel_denied", reason_codes: ["AA", "AP"], note: "Dispensed already." },
    [
      [
        "CancelRxResponse",
        [
          [
            "Response",
            [
              [
                "Denied",
                [
                  ["ReasonCode", "AA"],
                  ["ReasonCode", "AP"],
                  ["DenialReason", "Dispensed already."],
                ],
              ],
            ],
          ],
        ],
      ],
    ],
  ],
];

describe("an answer", () => {
  test.each(replies)("%s", (_, reply, body) => {
    expect(bodyOf(answered(reply))).toEqual(body);
  });

  test.each(scriptVersions)("has the format of %s, goes from us to the sender, and names the message", (version) => {
    const message = seen(answered({ kind: "status", code: "010" }, envelope(version)));
    const header = child(message, "Header") as XmlElement;
    const [to, from, ...rest] = header.children;
    expect([to?.name, to?.text, to?.attributes["Qualifier"]]).toEqual(["To", "6120042", "D"]);
    expect([from?.name, from?.text, from?.attributes["Qualifier"]]).toEqual(["From", "9900017", "P"]);
    expect(rest.slice(0, 3).map(({ name, text }) => [name, text])).toEqual([
      ["MessageID", "PESTLE-1"],
      ["RelatesToMessageID", "TF-0001"],
      ["SentTime", "2026-11-15T08:30:00.000Z"],
    ]);
    expect({ ...message.attributes }).toMatchObject(
      {
        "10.6": { version: "010", release: "006" },
        "2017071": { TransactionVersion: "20170715", TransactionDomain: "SCRIPT" },
        "2023011": { TransactionVersion: "2023011", TransactionDomain: "SCRIPT" },
      }[version],
    );
  });

  test("in 10.6 has that version's element for a reason", () => {
    const reply = { kind: "cancel_denied", reason_codes: ["AA"], note: null } as const;
    expect(answered(reply, envelope("10.6"))).toContain("<Denied><DenialReasonCode>AA</DenialReasonCode></Denied>");
  });

  test("to an unreadable message uses the current version and an unknown receiver", () => {
    const xml = answered({ kind: "error", refusal: refusalFor("024") }, null);
    const header = child(seen(xml), "Header") as XmlElement;
    expect(header.children.slice(0, 3).map(({ text }) => text)).toEqual(["UNKNOWN", "UNKNOWN", "PESTLE-1"]);
    expect(xml).not.toContain("RelatesToMessageID");
    expect(xml).toContain('TransactionVersion="20170715"');
  });

  test("uses only the standard's ten codes and 70 characters", () => {
    const [first, ...also] = Object.keys(intakeRefusals) as [DescriptionCode, ...DescriptionCode[]];
    const error = answered({ kind: "error", refusal: refusalFor(first, ...also) });
    expect(error.match(/<DescriptionCode>/g)).toHaveLength(10);
    const note = answered({ kind: "cancel_approved", note: "😀".repeat(100) });
    expect(note).toContain(`<Note>${"😀".repeat(70)}</Note>`);
  });

  test("contains any given text and stays valid XML", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("</To>", "]]>", "&amp;", "\u0000", "\uD800", "\r\n\t"),
    );
    fc.assert(
      fc.property(anything, anything, (from, message_id) => {
        const header = child(seen(answered({ kind: "verify" }, { ...envelope(null), from, message_id })), "Header");
        const read = (name: string) => header?.children.find((element) => element.name === name)?.text ?? "";
        const kept = (text: string) => writable(text, "\uFFFD").trim();
        expect([read("To"), read("RelatesToMessageID")]).toEqual([kept(from), kept(message_id)]);
      }),
      { seed: 20_261_115, numRuns: effort(1_000) },
    );
  });
});
