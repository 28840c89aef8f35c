import {
  type DashboardLine,
  type DashboardOrder,
  type FilledLot,
  isProduct,
  type ScannedCode,
  scanFaults,
  scannedCode,
} from "@pestle/contract";
import { type FormEvent, useRef, useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { counted } from "../../ui/counted.ts";
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
  const [scans, setScans] = useState<ReadonlyMap<string, Scan>>(new Map());
  /** A package of a line with several lots, whose code has no lot: the user types it next. */
  const [unread, setUnread] = useState<{ line: DashboardLine; code: string } | null>(null);
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

  const packages = packagesOf(page.lines);
  const complete = packages.every(({ key }) => scans.has(key));
  const add = (found: Package, code: string, lot: string | null) => {
    setWrong(null);
    setUnread(null);
    // The server reads the whole code again: it also compares the lot and the date.
    const next = new Map(scans).set(found.key, { item_id: found.line.item_id, code, ...(lot !== null && { lot }) });
    setScans(next);
    // After the last scan, focus the button so Enter confirms.
    if (next.size === packages.length) requestAnimationFrame(() => verify.current?.focus());
  };
  const scan = (event: FormEvent) => {
    event.preventDefault();
    const typed = text.trim();
    const scanned = scannedCode(text);
    setText("");
    const fits = packages.filter(({ line }) => isProduct(scanned.code, line));
    if (unread !== null && fits.length === 0) {
      const own = packages.filter(({ line }) => line === unread.line);
      const named = own.find(({ lot }) => lot?.lot.toUpperCase() === typed.toUpperCase());
      if (named === undefined) return setWrong(say("The order was not filled from lot {lot}.", { lot: typed }));
      if (scans.has(named.key)) return setWrong(say("A package of this lot is already scanned."));
      return add(named, unread.code, named.lot!.lot);
    }
    const free = fits.filter(({ key }) => !scans.has(key));
    const found = free.find((one) => otherPackage(scanned, one) === null);
    if (found === undefined || scanned.fault !== null) {
      noteRefused(page, text, page.lines);
      const again = fits.some((one) => scans.has(one.key) && otherPackage(scanned, one) === null);
      setWrong(
        (scanned.fault && sayName(scanFaults[scanned.fault])) ??
          (!again && free[0] ? otherPackage(scanned, free[0]) : null) ??
          (fits.length > 0 ? say("This package is already scanned.") : say("This product is not part of the order.")),
      );
      return;
    }
    if (scanned.lot === null && found.line.lots.length > 1) {
      setWrong(null);
      setUnread({ line: found.line, code: typed });
      return;
    }
    add(found, typed, null);
  };
  const send = () =>
    work.run({ event: "verify_product", scans: [...scans.values()] }, say("Check complete. Ready to pack."));
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
            <span lang="en">{refused.message}</span>
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
              {unread && !wrong && (
                <Notice
                  tone="wait"
                  title={say("The code has no lot. Type the lot from this package, or scan its 2D code.")}
                />
              )}
              {complete && !wrong && <Notice tone="good" title={say("All packages match.")} />}
            </div>
            <ul className={styles["scans"]}>
              {packages.map(({ key, line, lot }) => (
                <li key={key} data-scanned={scans.has(key) || undefined}>
                  <Icon name={scans.has(key) ? "check" : "scan"} />
                  <span>
                    {line.name} <span className="mono quiet">{line.ndc ?? line.sku}</span>
                  </span>
                  {lot && (
                    <span className="quiet small">
                      {line.lots.length > 1
                        ? say("Lot {lot}, {units}", { lot: lot.lot, units: counted(lot.units, "unit") })
                        : say("Lot {lot}", { lot: lot.lot })}
                    </span>
                  )}
                  <Badge tone={scans.has(key) ? "good" : "neutral"}>
                    {scans.has(key) ? say("Scanned") : say("Not scanned")}
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

type Scan = { item_id: number; code: string; lot?: string };
/** What is scanned once: a line, or each lot of it. */
type Package = { key: string; line: DashboardLine; lot: FilledLot | null };
const packagesOf = (lines: readonly DashboardLine[]): Package[] =>
  lines.flatMap((line) =>
    (line.lots.length === 0 ? [null] : line.lots).map((lot) => ({
      key: `${line.item_id} ${lot?.lot ?? ""}`,
      line,
      lot,
    })),
  );

/** Why the scanned package is not the one that was filled; null if it is, or if its code does not say. */
function otherPackage({ lot, expires_on }: ScannedCode, { lot: filled }: Package): string | null {
  if (filled === null) return null;
  if (lot !== null && lot.toUpperCase() !== filled.lot.toUpperCase())
    return say("This package is from lot {lot}, but the order was filled from lot {filled_lot}.", {
      lot,
      filled_lot: filled.lot,
    });
  if (expires_on !== null && expires_on !== filled.lot_expires_on)
    return say("This package expires on {date}, but the one that was filled expires on {filled_date}.", {
      date: expires_on,
      filled_date: filled.lot_expires_on,
    });
  return null;
}
