import type { Paper, PrintedDocuments } from "@pestle/contract";
import type { Deps } from "../../../deps.ts";
import { dateIn } from "../../../domain/values/calendar.ts";
import { writeAudit } from "../../operations/write-audit.ts";
import { orderDocument } from "../order-document.ts";
import type { Worker } from "../steps.ts";
import { WorkRefusal } from "../work-refusal.ts";

export type PrintAsked = {
  orders: readonly { account_id: string; order_number: string }[];
  documents: PrintedDocuments;
  label_paper: Paper;
  slip_paper: Paper;
};

/** One PDF with the slip and the label of each parcel, in the order of the list. Each is audited. */
export async function printParcels(
  deps: Deps,
  by: Worker,
  { orders, documents, label_paper, slip_paper }: PrintAsked,
  request_id: string,
): Promise<Buffer> {
  const date = dateIn(deps.config.TIME_ZONE, deps.now());
  const pages: Parameters<Deps["documents"]["joinPages"]>[2][number][] = [];
  for (const place of orders) {
    const work = { ...place, by };
    const { account_id, order_number } = place;
    if (documents !== "labels") {
      const { bytes } = await orderDocument(deps, work, "slip", null, slip_paper);
      pages.push({ paper: slip_paper, format: "PDF", bytes });
    }
    if (documents !== "slips") {
      const { format, bytes } = await orderDocument(deps, work, "label");
      pages.push(
        format === "ZPL"
          ? {
              paper: label_paper,
              format: "PDF",
              // Only a label printer reads it, so it cannot be a page of this file.
              bytes: await deps.documents.notePage(
                `Order ${order_number}: the partner's label is a ZPL file. Print it from the order's page.`,
                label_paper,
                date,
              ),
            }
          : { paper: label_paper, format, bytes },
      );
    }
    await writeAudit(deps, by, { account_id, action: "document_viewed", subject: order_number }, request_id);
  }
  const title = orders.length === 1 ? `Order ${orders[0]!.order_number}` : `${orders.length} orders`;
  const joined = await deps.documents.joinPages(title, date, pages);
  if (joined === undefined) throw new WorkRefusal("label_unsafe");
  return joined;
}
