import { crc32, deflateSync } from "node:zlib";
import { PDFDocument, PDFName, PDFString, StandardFonts } from "pdf-lib";
import { describe, expect, test } from "vitest";
import { simulatedCarriers } from "../../../src/adapters/carriers/carriers.ts";
import { cleanLabel } from "../../../src/adapters/documents/labels/clean-label.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");
const zpl = async (text: string) => (await cleanLabel("ZPL", latin1(text)))?.toString("latin1");
const carriersLabel = async () => {
  const { label } = await simulatedCarriers.createLabel({
    key: "7K2M9XQ4TB",
    carrier: "USPS",
    service: "Ground",
    signature_confirmation: false,
    from: {
      name: "Larkspur Pharmacy",
      street: "410 Quarry Road",
      city: "Portland",
      state: "ME",
      zip: "04101",
      phone: "2075550142",
      license: "",
      npi: "1999999992",
      dea: "FL1234563",
      ncpdp_id: "9900009",
    },
    to: {
      first_name: "Wren",
      last_name: "O'Hara",
      street1: "2210 Mission St",
      street2: null,
      city: "San Francisco",
      state: "CA",
      zip: "94110",
      phone: null,
    },
    reference: null,
    ship_date: "2026-11-16",
    sandbox: true,
  });
  return label;
};

describe("a ZPL label", () => {
  test("keeps its text, barcodes, lines and pictures, and a second cleaning changes nothing", async () => {
    const sent =
      "^XA\n^CI28^PW812^LL1218^FO20,20^A0N,30,30^FH^FDMs. O_27Hara^FS\n^FO20,90^BY3^BCN,240,N,N,N,A^FD>;>842094110^FS^FO0,9^GB812,3,3^FS^FO1,1^GFA,4,4,1,FF00FF00^FS\n^XZ\n";
    const cleaned = await zpl(sent);
    expect(cleaned?.replaceAll("\n", "")).toBe(sent.replaceAll("\n", ""));
    expect(await zpl(cleaned!)).toBe(cleaned);
    const own = (await carriersLabel()).zpl!;
    expect((await cleanLabel("ZPL", Buffer.from(own)))?.toString().replaceAll("\n", "")).toBe(own.replaceAll("\n", ""));
  });

  test("loses comments, copies and settings of the printer", async () => {
    expect(await zpl("^XA^MNY^MTT^PR4^MD30^JUS^PQ500^FXcall 555-0100^FO1,1^FDx^FS^XZ")).toBe(
      "^XA\n^FX\n^FO1,1\n^FDx\n^FS\n^XZ\n",
    );
  });

  test.each([
    ["a download to the printer", "~DGR:LOGO.GRF,4,1,FF00FF00^XA^XG R:LOGO.GRF,1,1^FS^XZ"],
    ["a stored format", "^XA^DFR:EVIL.ZPL^FDx^FS^XZ"],
    ["a recalled format", "^XA^XFE:OTHER.ZPL^FS^XZ"],
    ["a recalled picture", "^XA^FO1,1^XGE:OTHER.GRF,1,1^FS^XZ"],
    ["a deleted file", "^XA^IDR:*.*^FS^XZ"],
    ["a transferred file", "^XA^TOR:A.ZPL,E:A.ZPL^XZ^XA^HWE:*.*^XZ"],
    ["a font of the printer's memory", "^XA^A@N,50,50,E:ARIAL.TTF^FDx^FS^XZ"],
    ["a reset", "^XA^FDx^FS^XZ~JR"],
    ["a network setting", "^XA^NS1,10.0.0.9,255.255.255.0,10.0.0.1^XZ"],
    ["a password", "^XA^KP1234^XZ"],
    ["another command character", "^XA^CC+^XZ+XA+NS1+XZ"],
    ["a host query", "^XA^HH^XZ"],
    ["a host status query", "^XA^FDx^FS^XZ~HS"],
    ["a command in Set/Get/Do", '! U1 setvar "ip.addr" "10.0.0.9"\r\n^XA^FDx^FS^XZ'],
    ["raw bytes of a picture", "^XA^GFB,4,4,1,\xff\xff\xff\xff^FS^XZ"],
    ["a control character", "^XA^FDx\x1b^FS^XZ"],
    ["text before the label", "hello^XA^FDx^FS^XZ"],
    ["a label inside a label", "^XA^XA^FDx^FS^XZ^XZ"],
    ["no end", "^XA^FDx^FS"],
    ["nothing", ""],
    ["too many labels", "^XA^FDx^FS^XZ".repeat(11)],
    ["too many commands", `^XA${"^FS".repeat(6000)}^XZ`],
    ["too much text", `^XA^FD${"x".repeat(5000)}^FS^XZ`],
    ["a parameter that is none", "^XA^FO1,1;rm -rf^FS^XZ"],
  ])("with %s is refused", async (_, sent) => {
    expect(await zpl(sent)).toBeUndefined();
  });
});

describe("a PNG label", () => {
  const chunk = (type: string, data = Buffer.alloc(0)) => {
    const body = Buffer.concat([latin1(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = (width: number, height: number) => {
    const data = Buffer.alloc(13);
    data.writeUInt32BE(width, 0);
    data.writeUInt32BE(height, 4);
    data[8] = 8;
    return chunk("IHDR", data);
  };
  const start = Buffer.from("89504e470d0a1a0a", "hex");
  const pixels = chunk("IDAT", deflateSync(Buffer.alloc(2 * 3)));
  const plain = Buffer.concat([start, header(2, 2), pixels, chunk("IEND")]);

  test("keeps its picture, and loses texts, profiles and bytes after its end", async () => {
    expect(await cleanLabel("PNG", plain)).toEqual(plain);
    const more = [chunk("tEXt", latin1("Author\0Wren")), chunk("eXIf", latin1("GPS")), chunk("iCCP", latin1("x"))];
    const sent = Buffer.concat([start, header(2, 2), ...more, pixels, chunk("IEND"), latin1("<script>")]);
    expect(await cleanLabel("PNG", sent)).toEqual(plain);
  });

  test.each([
    ["a wrong checksum", Buffer.from(plain).fill(1, 33, 34)],
    ["no pixels", Buffer.concat([start, header(2, 2), chunk("IEND")])],
    ["more pixels than it says", Buffer.concat([start, header(1, 1), pixels, chunk("IEND")])],
    ["a huge size", Buffer.concat([start, header(100_000, 100_000), pixels, chunk("IEND")])],
    [
      "a bomb",
      Buffer.concat([start, header(4, 4), chunk("IDAT", deflateSync(Buffer.alloc(9_000_000))), chunk("IEND")]),
    ],
    ["an unknown critical chunk", Buffer.concat([start, header(2, 2), chunk("EVIL"), pixels, chunk("IEND")])],
    ["no end", plain.subarray(0, -12)],
    ["a chunk beyond the file", plain.subarray(0, -2)],
  ])("with %s is refused", async (_, sent) => {
    expect(await cleanLabel("PNG", sent)).toBeUndefined();
  });
});

describe("a PDF label", () => {
  const drawn = async (
    change: (document: PDFDocument) => unknown = () => {},
    options = { useObjectStreams: false },
  ) => {
    const document = await PDFDocument.create();
    const page = document.addPage([288, 432]);
    page.drawText("SHIP TO WREN", { font: await document.embedFont(StandardFonts.Helvetica), x: 20, y: 200 });
    await change(document);
    return Buffer.from(await document.save(options));
  };
  /** All text of a file, with its packed streams unpacked. */
  const inside = async (bytes: Buffer) => {
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    const { decodePDFRawStream, PDFRawStream } = await import("pdf-lib");
    const objects = document.context
      .enumerateIndirectObjects()
      .map(([, object]) =>
        object instanceof PDFRawStream && object.dict.get(PDFName.of("Filter"))?.toString() === "/FlateDecode"
          ? `${object.dict} ${Buffer.from(decodePDFRawStream(object).decode()).toString("latin1")}`
          : String(object),
      );
    return { text: [bytes.toString("latin1"), ...objects].join("\n"), pages: document.getPageCount(), document };
  };

  test("keeps what its pages draw, on pages of the same size", async () => {
    const cleaned = await cleanLabel("PDF", await drawn((document) => document.addPage([100, 100]).drawSquare()));
    const { text, pages, document } = await inside(cleaned!);
    expect(pages).toBe(2);
    expect(document.getPage(0).getSize()).toEqual({ width: 288, height: 432 });
    expect(text).toContain(Buffer.from("SHIP TO WREN").toString("hex").toUpperCase());
    expect(text).toContain("Helvetica");
  });

  test("of the carriers and with object streams passes, and a second cleaning keeps its size", async () => {
    for (const sent of [(await carriersLabel()).data, await drawn(undefined, { useObjectStreams: true })]) {
      const cleaned = await cleanLabel("PDF", sent);
      expect((await inside(cleaned!)).pages).toBe(1);
      expect(await cleanLabel("PDF", cleaned!)).toBeDefined();
    }
  });

  test("is the same bytes for the same label", async () => {
    const { data: pdf } = await carriersLabel();
    expect(await cleanLabel("PDF", pdf)).toEqual(await cleanLabel("PDF", pdf));
  });

  test("loses scripts, actions, links, forms, attachments, annotations, metadata and references to other files", async () => {
    const sent = await drawn(async (document) => {
      const { context, catalog } = document;
      document.addJavaScript("evil", 'app.alert("evil-script")');
      document.setTitle("evil-title");
      await document.attach(latin1("evil-attachment"), "evil.exe");
      const script = { Type: "Action", S: "JavaScript", JS: PDFString.of("evil-action") };
      catalog.set(PDFName.of("OpenAction"), context.obj(script));
      catalog.set(PDFName.of("AcroForm"), context.obj({ XFA: PDFString.of("evil-xfa"), Fields: [] }));
      document.getForm().createTextField("evil-field").addToPage(document.getPage(0));
      const { node } = document.getPage(0);
      node.set(PDFName.of("AA"), context.obj({ O: script }));
      node.set(PDFName.of("PieceInfo"), context.obj({ Evil: PDFString.of("evil-piece") }));
      const link = { Type: "Annot", Subtype: "Link", Rect: [0, 0, 9, 9] };
      const action = { S: "URI", URI: PDFString.of("http://evil.example/") };
      node.addAnnot(context.register(context.obj({ ...link, A: action })));
      node.addAnnot(context.register(context.obj({ ...link, A: { S: "Launch", F: PDFString.of("evil-launch") } })));
      const outside = { Type: "XObject", Subtype: "Form", BBox: [0, 0, 1, 1], F: PDFString.of("evil-file") };
      const reference = context.register(
        context.stream("", { ...outside, Ref: { F: PDFString.of("evil-ref"), Page: 0 } }),
      );
      node.setXObject(PDFName.of("Outside"), reference);
    });
    expect((await inside(sent)).text).toMatch(/evil-file/);
    const { text, pages } = await inside((await cleanLabel("PDF", sent))!);
    expect(pages).toBe(1);
    expect(text).not.toMatch(
      /evil|\/(JavaScript|JS|OpenAction|AA|Annots?|AcroForm|XFA|URI|Launch|EmbeddedFiles?|Filespec|Ref|PieceInfo|Info|Metadata|Names)\b/,
    );
  });

  const wrapped = (stream: Buffer, filter: string) =>
    Buffer.concat([
      latin1(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
          "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<<>>>>endobj\n" +
          `4 0 obj<</Length ${stream.length}/Filter ${filter}>>\nstream\n`,
      ),
      stream,
      latin1("\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"),
    ]);

  test("that unpacks to a page is accepted", async () => {
    expect(await cleanLabel("PDF", wrapped(deflateSync(latin1("0 0 9 9 re f")), "/FlateDecode"))).toBeDefined();
  });

  const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024));
  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ["a bomb", () => wrapped(bomb, "/FlateDecode")],
    ["a bomb in a bomb", () => wrapped(deflateSync(bomb), "[/FlateDecode/FlateDecode]")],
    ["an obsolete packing", () => wrapped(latin1("x"), "/LZWDecode")],
    ["an obsolete packing, disguised", () => wrapped(latin1("x"), "/L#5aWDecode")],
    ["damaged packing", () => wrapped(deflateSync(Buffer.alloc(99)).fill(7, 5), "/FlateDecode")],
    ["too many pages", () => drawn((document) => Array.from({ length: 10 }, () => document.addPage().drawText("x")))],
    ["a huge page", () => drawn((document) => document.addPage([9_000, 9_000]).drawText("x"))],
    ["no pages", () => latin1("%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n")],
    ["a head and an end only", () => latin1("%PDF-1.7\n%%EOF\n")],
    ["another format inside", () => latin1("%PDF-1.4\n<html><script>alert(1)</script></html>\n%%EOF\n")],
    ["deep lists", () => latin1(`%PDF-1.4\n1 0 obj ${"[".repeat(200_000)} endobj\n%%EOF\n`)],
    [
      "more than 512 KiB",
      async () => Buffer.concat([await drawn(), Buffer.alloc(512 * 1024, " "), latin1("\n%%EOF\n")]),
    ],
    ["encryption", async () => latin1((await drawn()).toString("latin1").replace("/Root", "/Encrypt 1 0 R /Root"))],
  ])("with %s is refused", async (_, sent) => {
    expect(await cleanLabel("PDF", await sent())).toBeUndefined();
  });
});
