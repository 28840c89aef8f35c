import type { QrPicture } from "@pestle/contract";
import type { DispensedItem, PackingSlip, PharmacyFacts } from "../../domain/fulfillment/documents.ts";
import { qrPicture } from "./barcode.ts";
import { leaflet } from "./leaflet.ts";
import { packingSlip } from "./packing-slip.ts";
import { prescriptionLabel } from "./prescription-label.ts";

/** The printable documents of a parcel, and the QR code of a second factor. The same data gives the same bytes. */
export interface Documents {
  prescriptionLabel(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer>;
  leaflet(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer>;
  packingSlip(pharmacy: PharmacyFacts, slip: PackingSlip): Promise<Buffer>;
  qrPicture(text: string): Promise<QrPicture>;
}

export const pdfDocuments: Documents = { prescriptionLabel, leaflet, packingSlip, qrPicture };
