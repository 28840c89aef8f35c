import { PDFDocument } from "pdf-lib";

/** Points. */
const SIZES = { "4x6": [288, 432], letter: [612, 792] } as const satisfies Record<string, readonly [number, number]>;
/** A label on a sheet of paper: at its top left, so that people cut it out. */
const MARGIN = 36;

/** A document of one parcel, on the paper that it is printed on. */
export type JoinedDocument = { paper: keyof typeof SIZES; format: "PDF" | "PNG"; bytes: Buffer };

/**
 * One PDF with the pages of all documents, each on its paper. A page that is larger than its paper shrinks, and none
 * grows, because a scanner must read its bars. Returns undefined if a document cannot be read.
 */
export async function joinPages(
  title: string,
  date: string,
  documents: readonly JoinedDocument[],
): Promise<Buffer | undefined> {
  try {
    const joined = await PDFDocument.create({ updateMetadata: false });
    joined.setTitle(title, { showInWindowTitleBar: true });
    joined.setCreator("Pestle");
    joined.setProducer("Pestle");
    joined.setLanguage("en-US");
    joined.setCreationDate(new Date(`${date}T00:00:00Z`));
    for (const { paper, format, bytes } of documents) {
      const [width, height] = SIZES[paper];
      if (format === "PNG") {
        const picture = await joined.embedPng(bytes);
        joined.addPage([width, height]).drawImage(picture, placed(picture, width, height));
        continue;
      }
      const source = await PDFDocument.load(bytes, { updateMetadata: false });
      for (const drawn of await joined.embedPdf(source, source.getPageIndices())) {
        joined.addPage([width, height]).drawPage(drawn, placed(drawn, width, height));
      }
    }
    return Buffer.from(await joined.save({ addDefaultPage: false }));
  } catch {
    // A damaged picture or PDF. The library throws many kinds of errors.
    return undefined;
  }
}

function placed(drawn: { width: number; height: number }, width: number, height: number) {
  const whole = Math.min(1, width / drawn.width, height / drawn.height);
  const inside = drawn.width < width && drawn.height < height;
  const edge = inside && drawn.width + 2 * MARGIN <= width && drawn.height + 2 * MARGIN <= height ? MARGIN : 0;
  const size = { width: drawn.width * whole, height: drawn.height * whole };
  return { x: edge, y: height - edge - size.height, ...size };
}
