import fc from "fast-check";
import { expect, test } from "vitest";
import { indentMessage } from "../src/dashboard/reviews/indent-message.ts";

const packed = (text: string) => text.replaceAll(/\s/g, "");

test("puts each element on its own line and keeps text-only elements on one line", () => {
  expect(indentMessage("<a><b x='1'>one</b><c/><d><e>two</e></d></a>")).toBe(
    "<a>\n  <b x='1'>one</b>\n  <c/>\n  <d>\n    <e>two</e>\n  </d>\n</a>",
  );
  expect(indentMessage('{"a":[1.50,{}],"b":{"c":"x, {y}"}}')).toBe(
    '{\n  "a": [\n    1.50,\n    {}\n  ],\n  "b": {\n    "c": "x, {y}"\n  }\n}',
  );
});

test("changes only whitespace, for any message", () => {
  const piece = fc.constantFrom(...'<>/!?-[]{}:,"\\ \na1'.split(""), "<a>", "</a>", "<!--", "-->", "<![CDATA[", "]]>");
  const message = fc.tuple(fc.constantFrom("<", "{", "[", "x"), fc.array(piece, { maxLength: 40 }));
  fc.assert(
    fc.property(message, ([first, rest]) => {
      const text = first + rest.join("");
      expect(packed(indentMessage(text))).toBe(packed(text));
    }),
    { numRuns: 500 },
  );
});
