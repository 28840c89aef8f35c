import { describe, expect, test } from "vitest";
import { child, children, parseXml, pathOf, type XmlElement } from "../../../src/formats/script/xml.ts";
import { bytes } from "../../support/samples/script-samples.ts";
import { quickest } from "../../support/tools/quickest.ts";

function rootOf(source: string | Uint8Array): XmlElement {
  const parsed = parseXml(source);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.root;
}
const why = (source: string | Uint8Array) => {
  const parsed = parseXml(source);
  return parsed.ok ? "read" : parsed.why;
};

const MEBIBYTE = 1024 * 1024;
const sized = (length: number) => bytes(`<a>${"x".repeat(length - 7)}</a>`);

describe("the XML parser", () => {
  test("returns local names and trimmed texts, deeply frozen", () => {
    const root = rootOf(
      '<p:a xmlns:p="urn:x" p:id=" 7 " xml:lang="en"> one <b/><p:b>2</p:b><![CDATA[ & three ]]></p:a>',
    );
    expect(root).toMatchObject({ name: "a", text: "one  & three", empty: false, parent: null });
    expect({ ...root.attributes }).toEqual({ id: "7" });
    expect(root.children.map(({ name, text, empty }) => [name, text, empty])).toEqual([
      ["b", "", true],
      ["b", "2", false],
    ]);
    for (const part of [root, root.attributes, root.children, ...root.children])
      expect(Object.isFrozen(part)).toBe(true);
  });

  test("finds children with content by name, and gives their position", () => {
    const root = rootOf('<a><b/><b> </b><b c=" "/><b xsi:nil="true"/><b><c><d/></c></b><b>1</b><e/><b>2</b></a>');
    expect(child(root, "b")?.text).toBe("1");
    expect(children(root, "b").map(({ text }) => text)).toEqual(["1", "2"]);
    expect(child(root, "e")).toBeNull();
    expect(pathOf(child(root, "b") as XmlElement)).toBe("a/b");
  });

  test("accepts UTF-8 with and without a byte order mark, its declaration, and blank lines before it", () => {
    expect(rootOf(bytes("\uFEFF<a>é</a>")).text).toBe("é");
    expect(rootOf(bytes('<?xml version="1.0" encoding="utf-8"?><a>é</a>')).text).toBe("é");
    expect(rootOf(bytes('\n \n<?xml version="1.0" encoding="US-ASCII"?><a>e</a>')).text).toBe("e");
    expect(rootOf("<a>&#233;&amp;&lt;&#x1F600;</a>").text).toBe("é&<😀");
  });

  test.each([
    ["UTF-16 with its mark", new Uint8Array(Buffer.from("\uFEFF<a/>", "utf16le"))],
    ["bytes that are not UTF-8", new Uint8Array([0x3c, 0x61, 0xc3, 0x28])],
    ["a declared UTF-16", bytes('<?xml version="1.0" encoding="UTF-16"?><a/>')],
    ["a declared Latin-1", bytes("<?xml version='1.0' encoding='iso-8859-1'?><a/>")],
  ])("rejects %s", (_, source) => {
    expect(why(source)).toBe("encoding");
  });

  test("a text from inside another document is already decoded", () => {
    expect(why('<?xml version="1.0" encoding="utf-16"?><a/>')).toBe("read");
  });

  test.each([
    ["DOCTYPE", "<!DOCTYPE a><a/>"],
    ["a lower-case doctype", "<!doctype a><a/>"],
    ["an entity", '<!ENTITY a "b"><a/>'],
    ["a processing instruction", "<a><?php ?></a>"],
    ["a style sheet", "<?xml-stylesheet?><a/>"],
    ["billion laughs", `<!DOCTYPE a [<!ENTITY x "ha">${'<!ENTITY y "&x;&x;">'.repeat(100)}]><a>&y;</a>`],
    ["an external entity", '<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1/">]><a>&x;</a>'],
  ])("rejects %s before it parses", (_, source) => {
    expect(why(source)).toBe("forbidden");
  });

  test.each([
    ["nothing", ""],
    ["words", "hello"],
    ["an open element", "<a>"],
    ["crossed elements", "<a><b></a></b>"],
    ["two roots", "<a/><b/>"],
    ["a text behind the root", "<a/>b"],
    ["an unknown entity", "<a>&nbsp;</a>"],
    ["a doubled attribute", "<a b='1' b='2'/>"],
    ["a control character", "<a>\u0001</a>"],
    ["a reference to a control character", "<a>&#1;</a>"],
    ["the same in XML 1.1", '<?xml version="1.1"?><a>&#1;</a>'],
    ["half of a surrogate pair", "<a>&#xD800;</a>"],
    ["UTF-16 without its mark", bytes("<\0a\0/\0>\0")],
    ["a second declaration", '<a><?xml version="1.0"?></a>'],
  ])("rejects %s as malformed", (_, source) => {
    expect(why(source)).toBe("malformed");
  });

  test("accepts 1 MiB, 64 levels and 20,000 nodes, and not one more", () => {
    expect([sized(MEBIBYTE), sized(MEBIBYTE + 1)].map(why)).toEqual(["read", "too_large"]);
    const deep = (levels: number) => "<a>".repeat(levels) + "</a>".repeat(levels);
    expect([deep(64), deep(65), "<a>".repeat(300_000)].map(why)).toEqual(["read", "too_deep", "too_deep"]);
    const wide = (nodes: number) => `<a>${"<b/>".repeat(nodes - 1)}</a>`;
    expect([wide(20_000), wide(20_001)].map(why)).toEqual(["read", "too_many"]);
    const attributes = (count: number) => `<a ${Array.from({ length: count }, (_, at) => `b${at}=""`).join(" ")}/>`;
    expect([attributes(19_999), attributes(20_001)].map(why)).toEqual(["read", "too_many"]);
  });

  test.each([
    ["one tag", `<${"a".repeat(MEBIBYTE - 10)}/>`],
    ["openings", "<".repeat(MEBIBYTE)],
    ["references", `<a>${"&amp;".repeat(200_000)}</a>`],
    ["comments", `<a>${"<!---->".repeat(140_000)}</a>`],
    ["brackets", `<a>${"]]".repeat(500_000)}</a>`],
    ["blanks in the declaration", `<?xml ${" ".repeat(MEBIBYTE - 20)}?><a/>`],
    ["blanks before it", `${" ".repeat(MEBIBYTE - 4)}<a/>`],
  ])("1 MiB of %s costs less than 200 ms", (_, source) => {
    expect(quickest(200, () => why(bytes(source)))).toBeLessThan(200);
  });
});
