import type { DashboardDocument, DashboardOrder, DocumentKind } from "@pestle/contract";
import { useState } from "react";
import { apiFile } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Card } from "../../ui/display/card.tsx";
import { openFile } from "../../ui/open-file.ts";
import { say } from "../../ui/words/say.tsx";
import styles from "./order-screen.module.css";
import { orderApi } from "./use-order.ts";

const order: readonly DocumentKind[] = ["prescription", "leaflet", "slip", "label"];

/** Documents for the package. Each opens in a new tab, ready to print. */
export function DocumentsCard({ page }: { page: DashboardOrder }) {
  const path = `${orderApi({ account_id: page.account_id, order_number: page.order.order_number })}/documents` as const;
  const documents = [...page.documents].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const [asked, setAsked] = useState<DashboardDocument | null>(null);
  const open = useChange(
    (document: DashboardDocument) => {
      setAsked(document);
      return apiFile(`${path}${addressOf(document)}`);
    },
    { after: ({ name, blob }) => openFile(name, blob) },
  );
  useShortcuts(
    documents.slice(0, 9).map((document, at) => ({
      keys: `p ${at + 1}`,
      label: say("Print: {name}", { name: nameOf(document) }),
      run: () => void open.run(document),
    })),
  );
  if (documents.length === 0) return null;
  return (
    <Card title={say("Print")}>
      <ul className={styles["documents"]}>
        {documents.map((document, at) => (
          <li key={addressOf(document)}>
            <span>{nameOf(document)}</span>
            <span className="row">
              {at < 9 && (
                <span className="quiet">
                  <Keys keys={`p ${at + 1}`} />
                </span>
              )}
              <Button
                small
                icon="print"
                busy={open.busy && asked !== null && addressOf(asked) === addressOf(document)}
                aria-label={say("Open {name} to print it", { name: nameOf(document) })}
                onClick={() => void open.run(document)}
              >
                {say("Open")}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {open.error !== null && asked !== null && <Problem error={open.error} retry={() => void open.run(asked)} />}
    </Card>
  );
}

function nameOf({ kind, item_id }: DashboardDocument): string {
  const item = item_id ?? "";
  if (kind === "prescription") return say("Label for item {item}", { item });
  if (kind === "leaflet") return say("Leaflet for item {item}", { item });
  return kind === "slip" ? say("Packing slip") : say("Shipping label");
}

const addressOf = ({ kind, item_id }: DashboardDocument) =>
  item_id === null ? (`/${kind}` as const) : (`/${kind}?item_id=${item_id}` as const);
