import type { labelFormats, QrPicture } from "@pestle/contract";
import type { DispensedItem, PackingSlip, PharmacyFacts } from "../../domain/fulfillment/documents.ts";
import { qrPicture } from "./barcode.ts";
import { cleanLabel } from "./labels/clean-label.ts";
import { leaflet } from "./leaflet.ts";
import { packingSlip } from "./packing-slip.ts";
import { prescriptionLabel } from "./prescription-label.ts";

/** The printable documents of a parcel, and the QR code of a second factor. The same data gives the same bytes. */
export interface Documents {
  prescriptionLabel(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer>;
  leaflet(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer>;
  packingSlip(pharmacy: PharmacyFacts, slip: PackingSlip): Promise<Buffer>;
  qrPicture(text: string): Promise<QrPicture>;
  /** A partner's label, parsed and written again; undefined if it cannot be read or asks for more than printing. */
  cleanLabel(format: (typeof labelFormats)[number], bytes: Buffer): Promise<Buffer | undefined>;
}

export const pdfDocuments: Documents = { prescriptionLabel, leaflet, packingSlip, qrPicture, cleanLabel };
