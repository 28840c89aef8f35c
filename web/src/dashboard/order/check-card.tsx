import { type DashboardOrder, isProduct, type ScannedCode, scanFaults, scannedCode } from "@pestle/contract";
import { type FormEvent, useRef, useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import styles from "./order-screen.module.css";
import { ReasonDialog, useDrafts } from "./reason-dialog.tsx";
import { noteRefused } from "./step/note-refused.ts";
import type { DoWork } from "./use-order.ts";

/** A second staff member scans every package. The person who filled the order cannot check it. */
export function CheckCard({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [scans, setScans] = useState<ReadonlyMap<number, string>>(new Map());
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const [rejecting, setRejecting] = useState(false);
  const drafts = useDrafts();
  const verify = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const refused = page.cannot.find(({ event }) => event === "verify_product");
  const may = page.can.includes("verify_product");
  const may_reject = page.can.includes("reject_product");
  if (!may && !may_reject && refused === undefined) return null;

  const complete = page.lines.every(({ item_id }) => scans.has(item_id));
  const scan = (event: FormEvent) => {
    event.preventDefault();
    const scanned = scannedCode(text);
    setText("");
    const fits = page.lines.filter((line) => isProduct(scanned.code, line));
    const free = fits.filter(({ item_id }) => !scans.has(item_id));
    const line = free.find((one) => otherPackage(scanned, one) === null);
    if (line === undefined) {
      noteRefused(page, text, page.lines);
      setWrong(
        (scanned.fault && scanFaults[scanned.fault]) ??
          (free[0] && otherPackage(scanned, free[0])) ??
          (fits.length > 0 ? "This package is already scanned." : "This product is not part of the order."),
      );
      return;
    }
    setWrong(null);
    // The server reads the whole code again: it also compares the lot and the date.
    const next = new Map(scans).set(line.item_id, text.trim());
    setScans(next);
    // After the last scan, focus the button so Enter confirms.
    if (next.size === page.lines.length) requestAnimationFrame(() => verify.current?.focus());
  };
  const send = () =>
    work.run(
      { event: "verify_product", scans: [...scans].map(([item_id, code]) => ({ item_id, code })) },
      "Check complete. Ready to pack.",
    );
  return (
    <Card
      title={<span className="row">Product check {may && <Keys keys="a" />}</span>}
      actions={
        page.filled_by && (
          <span className="quiet small">Filled by {page.filled_by.me ? "you" : page.filled_by.name}</span>
        )
      }
    >
      <div className="stack-tight">
        {refused && (
          <Notice tone="wait" title="You cannot check this order">
            {refused.message}
          </Notice>
        )}
        {may && (
          <form className={styles["scan"]} onSubmit={scan}>
            <TextField
              ref={field}
              label="Scan a package"
              placeholder="NDC, SKU or 2D code"
              data-next-step={!complete || undefined}
              autoFocus
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <Button type="submit" icon="scan">
              Add
            </Button>
          </form>
        )}
        {may && (
          <>
            <div role="status" className={styles["scan-result"]}>
              {wrong && <Notice tone="bad" title={wrong} />}
              {complete && !wrong && <Notice tone="good" title="All packages match." />}
            </div>
            <ul className={styles["scans"]}>
              {page.lines.map((line) => (
                <li key={line.item_id} data-scanned={scans.has(line.item_id) || undefined}>
                  <Icon name={scans.has(line.item_id) ? "check" : "scan"} />
                  <span>
                    {line.name} <span className="mono quiet">{line.ndc ?? line.sku}</span>
                  </span>
                  {line.lot && <span className="quiet small">Lot {line.lot}</span>}
                  <Badge tone={scans.has(line.item_id) ? "good" : "neutral"}>
                    {scans.has(line.item_id) ? "Scanned" : "Not scanned"}
                  </Badge>
                </li>
              ))}
            </ul>
          </>
        )}
        <div className="row">
          {may && (
            <Button
              ref={verify}
              tone="primary"
              icon="check"
              disabled={!complete}
              busy={work.busy}
              data-next-step={complete || undefined}
              onClick={() => void send()}
            >
              Verify and continue
            </Button>
          )}
          {may_reject && (
            <Button tone="danger" icon="close" onClick={() => setRejecting(true)}>
              Send back to fill
            </Button>
          )}
        </div>
      </div>
      {rejecting && (
        <ReasonDialog
          title="Send back to fill"
          submit="Send back"
          danger
          drafts={drafts}
          work={work}
          onClose={() => setRejecting(false)}
          onSubmit={async (reason) => {
            if ((await work.run({ event: "reject_product", reason }, "Sent back to fill.")) === undefined) return;
            drafts.clear();
            setRejecting(false);
          }}
        />
      )}
    </Card>
  );
}

/** Why the scanned package is not the one that was filled; null if it is, or if its code does not say. */
function otherPackage({ lot, expires_on }: ScannedCode, line: DashboardOrder["lines"][number]): string | null {
  if (lot !== null && line.lot !== null && lot.toUpperCase() !== line.lot.toUpperCase())
    return `This package is from lot ${lot}, but the order was filled from lot ${line.lot}.`;
  if (expires_on !== null && line.lot_expires_on !== null && expires_on !== line.lot_expires_on)
    return `This package expires on ${expires_on}, but the one that was filled expires on ${line.lot_expires_on}.`;
  return null;
}
