import { type DashboardOrder, isProduct, type ScannedCode, scanFaults, scannedCode } from "@pestle/contract";
import { type FormEvent, useRef, useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
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
        (scanned.fault && sayName(scanFaults[scanned.fault])) ??
          (free[0] && otherPackage(scanned, free[0])) ??
          (fits.length > 0 ? say("This package is already scanned.") : say("This product is not part of the order.")),
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
      say("Check complete. Ready to pack."),
    );
  return (
    <Card
      title={
        <span className="row">
          {say("Product check")} {may && <Keys keys="a" />}
        </span>
      }
      actions={
        page.filled_by && (
          <span className="quiet small">
            {page.filled_by.me ? say("Filled by you") : say("Filled by {name}", { name: page.filled_by.name })}
          </span>
        )
      }
    >
      <div className="stack-tight">
        {refused && (
          <Notice tone="wait" title={say("You cannot check this order")}>
            {refused.message}
          </Notice>
        )}
        {may && (
          <form className={styles["scan"]} onSubmit={scan}>
            <TextField
              ref={field}
              label={say("Scan a package")}
              placeholder={say("NDC, SKU or 2D code")}
              data-next-step={!complete || undefined}
              autoFocus
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <Button type="submit" icon="scan">
              {say("Add")}
            </Button>
          </form>
        )}
        {may && (
          <>
            <div role="status" className={styles["scan-result"]}>
              {wrong && <Notice tone="bad" title={wrong} />}
              {complete && !wrong && <Notice tone="good" title={say("All packages match.")} />}
            </div>
            <ul className={styles["scans"]}>
              {page.lines.map((line) => (
                <li key={line.item_id} data-scanned={scans.has(line.item_id) || undefined}>
                  <Icon name={scans.has(line.item_id) ? "check" : "scan"} />
                  <span>
                    {line.name} <span className="mono quiet">{line.ndc ?? line.sku}</span>
                  </span>
                  {line.lot && <span className="quiet small">{say("Lot {lot}", { lot: line.lot })}</span>}
                  <Badge tone={scans.has(line.item_id) ? "good" : "neutral"}>
                    {scans.has(line.item_id) ? say("Scanned") : say("Not scanned")}
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
              {say("Verify and continue")}
            </Button>
          )}
          {may_reject && (
            <Button tone="danger" icon="close" onClick={() => setRejecting(true)}>
              {say("Send back to fill")}
            </Button>
          )}
        </div>
      </div>
      {rejecting && (
        <ReasonDialog
          title={say("Send back to fill")}
          submit={say("Send back")}
          danger
          drafts={drafts}
          work={work}
          onClose={() => setRejecting(false)}
          onSubmit={async (reason) => {
            if ((await work.run({ event: "reject_product", reason }, say("Sent back to fill."))) === undefined) return;
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
    return say("This package is from lot {lot}, but the order was filled from lot {filled_lot}.", {
      lot,
      filled_lot: line.lot,
    });
  if (expires_on !== null && line.lot_expires_on !== null && expires_on !== line.lot_expires_on)
    return say("This package expires on {date}, but the one that was filled expires on {filled_date}.", {
      date: expires_on,
      filled_date: line.lot_expires_on,
    });
  return null;
}
