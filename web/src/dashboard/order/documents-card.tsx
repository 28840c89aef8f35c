import type { DashboardDocument, DashboardOrder, DocumentKind } from "@pestle/contract";
import { useShortcuts } from "../../app/shortcuts.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Keys } from "../../ui/keys.tsx";
import styles from "./order-screen.module.css";
import { orderApi } from "./use-order.ts";

const order: readonly DocumentKind[] = ["prescription", "leaflet", "slip", "label"];

/** What is printed for the parcel. Each opens beside this page, ready for the printer. */
export function DocumentsCard({ page }: { page: DashboardOrder }) {
  const path = `/web${orderApi({ account_id: page.account_id, order_number: page.order.order_number })}/documents`;
  const documents = [...page.documents].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const address = ({ kind, item_id }: DashboardDocument) =>
    `${path}/${kind}${item_id === null ? "" : `?item_id=${item_id}`}`;
  useShortcuts(
    documents.slice(0, 9).map((document, at) => ({
      keys: `p ${at + 1}`,
      label: `Print: ${document.name}`,
      run: () => void window.open(address(document), "_blank", "noopener"),
    })),
  );
  if (documents.length === 0) return null;
  return (
    <Card title="Print">
      <ul className={styles["documents"]}>
        {documents.map((document, at) => (
          <li key={address(document)}>
            <span>{document.name}</span>
            <span className="row">
              {at < 9 && (
                <span className="quiet">
                  <Keys keys={`p ${at + 1}`} />
                </span>
              )}
              <a
                className={buttonClass("plain", true)}
                href={address(document)}
                target="_blank"
                rel="noopener"
                aria-label={`Open ${document.name} to print it`}
              >
                <Icon name="print" /> Open
              </a>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
