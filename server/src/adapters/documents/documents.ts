import type { DispensedItem, PackingSlip, PharmacyFacts } from "../../domain/fulfillment/documents.ts";
import { leaflet } from "./leaflet.ts";
import { packingSlip } from "./packing-slip.ts";
import { prescriptionLabel } from "./prescription-label.ts";

/** The printable documents of a parcel. The same data gives the same bytes. */
export interface Documents {
  prescriptionLabel(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer>;
  leaflet(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer>;
  packingSlip(pharmacy: PharmacyFacts, slip: PackingSlip): Promise<Buffer>;
}

export const pdfDocuments: Documents = { prescriptionLabel, leaflet, packingSlip };
