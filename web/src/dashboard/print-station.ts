import { type Paper, type PrintedDocuments, papers, printedDocuments } from "@pestle/contract";
import { useSyncExternalStore } from "react";
import { apiFile } from "../app/api.ts";
import { openFile } from "../ui/open-file.ts";
import { say } from "../ui/words/say.tsx";

/** What this computer prints on. Each browser keeps its own, because each packing station has its own printers. */
export type Station = { documents: PrintedDocuments; label_paper: Paper; slip_paper: Paper };

const KEPT_AS = "pestle-print-station";
const DEFAULT: Station = { documents: "slips_and_labels", label_paper: "4x6", slip_paper: "letter" };

let station = read();
const watchers = new Set<() => void>();

export const useStation = (): Station =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    () => station,
  );

export function keepStation(next: Station): void {
  station = next;
  localStorage.setItem(KEPT_AS, JSON.stringify(next));
  for (const watcher of watchers) watcher();
}

/** Another version may have written other values. */
function read(): Station {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Partial<Station>;
    return {
      documents: printedDocuments.find((one) => one === kept.documents) ?? DEFAULT.documents,
      label_paper: papers.find((one) => one === kept.label_paper) ?? DEFAULT.label_paper,
      slip_paper: papers.find((one) => one === kept.slip_paper) ?? DEFAULT.slip_paper,
    };
  } catch {
    return DEFAULT;
  }
}

/** Opens one PDF with the slips and labels of these orders, for this station's paper. They must be printed already. */
export async function openPrints(orders: readonly { account_id: string; order_number: string }[]): Promise<void> {
  const named = orders.map(({ account_id, order_number }) => `${account_id}/${order_number}`).join(",");
  const { documents, label_paper, slip_paper } = station;
  const { name, blob } = await apiFile(
    `/dashboard/print?orders=${named}&documents=${documents}&label_paper=${label_paper}&slip_paper=${slip_paper}`,
  );
  openFile(name, blob);
}

export const documentNames: Record<PrintedDocuments, string> = {
  slips_and_labels: say("Slip and label"),
  labels: say("Label only"),
  slips: say("Slip only"),
};
export const paperNames: Record<Paper, string> = { "4x6": say("4 × 6 in. labels"), letter: say("Letter paper") };
