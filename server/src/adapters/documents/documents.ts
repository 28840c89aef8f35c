import type { labelFormats, Paper, QrPicture } from "@pestle/contract";
import type {
  DispensedItem,
  PackingSlip,
  PharmacyFacts,
  PrintedReport,
  PrintedText,
  ShippingLabel,
} from "../../domain/fulfillment/documents.ts";
import { qrPicture } from "./barcode.ts";
import { findUnprintable } from "./fonts/unprintable.ts";
import { cleanLabel } from "./labels/clean-label.ts";
import type { JoinedDocument } from "./labels/join-pages.ts";
import { leaflet } from "./leaflet.ts";
import { notePage } from "./note-page.ts";
import { packingSlip } from "./packing-slip.ts";
import { prescriptionLabel } from "./prescription-label.ts";
import { report } from "./report.ts";
import { shippingLabel } from "./shipping-label.ts";

/** The printable documents of a parcel, and the QR code of a second factor. The same data gives the same bytes. */
export interface Documents {
  prescriptionLabel(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer>;
  leaflet(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer>;
  packingSlip(pharmacy: PharmacyFacts, slip: PackingSlip, paper?: Paper): Promise<Buffer>;
  /** A report for inspectors. */
  report(pharmacy: PharmacyFacts, given: PrintedReport): Promise<Buffer>;
  shippingLabel(label: ShippingLabel): Promise<Buffer>;
  /** A page in place of a document that cannot be printed with the others. */
  notePage(text: string, paper: Paper, date: string): Promise<Buffer>;
  /** One PDF of several documents; undefined if one of them cannot be read. */
  joinPages(title: string, date: string, documents: readonly JoinedDocument[]): Promise<Buffer | undefined>;
  /** The first text with a character that no font has, and that character. */
  findUnprintable(texts: readonly PrintedText[]): Promise<{ text: PrintedText; char: string } | undefined>;
  qrPicture(text: string): Promise<QrPicture>;
  /** A partner's label, parsed and written again; undefined if it cannot be read or asks for more than printing. */
  cleanLabel(format: (typeof labelFormats)[number], bytes: Buffer): Promise<Buffer | undefined>;
}

export const pdfDocuments: Documents = {
  prescriptionLabel,
  leaflet,
  packingSlip,
  report,
  shippingLabel,
  notePage,
  // Its library is large.
  joinPages: async (...given) => (await import("./labels/join-pages.ts")).joinPages(...given),
  findUnprintable,
  qrPicture,
  cleanLabel,
};
