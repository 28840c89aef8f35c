import type { DashboardLine, DashboardOrder } from "@pestle/contract";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/field.tsx";
import { Keys } from "../../ui/keys.tsx";
import { Notice } from "../../ui/notice.tsx";
import styles from "./order-screen.module.css";
import { isProduct, scannedCode } from "./scanned-code.ts";
import type { DoWork } from "./use-order.ts";

type Filled = { lot: string; lot_expires_on: string };
const nothing: Filled = { lot: "", lot_expires_on: "" };

/** Lot and expiry of each package that is taken from the shelf: typed, or all at once by scanning its GS1 code. */
export function FillCard({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [filled, setFilled] = useState<Readonly<Record<number, Filled>>>({});
  const [wrong, setWrong] = useState<string | null>(null);
  const refused = page.cannot.find(({ event }) => event === "complete_fill");
  if (refused) return <Notice title="You cannot fill this order">{refused.message}</Notice>;
  if (!page.can.includes("complete_fill")) return null;

  const of = (line: DashboardLine) => filled[line.item_id] ?? nothing;
  const set = (line: DashboardLine, given: Partial<Filled>) =>
    setFilled({ ...filled, [line.item_id]: { ...of(line), ...given } });

  /** A whole GS1 code in the lot field fills in both, and says so where it is on another product. */
  const typeLot = (line: DashboardLine, text: string) => {
    const { code, lot, expires_on } = scannedCode(text);
    setWrong(null);
    if (lot === null) return set(line, { lot: text });
    const right = page.lines.find((one) => isProduct(code, one));
    if (right === undefined) {
      setWrong("What was scanned is not a product of this order.");
      return set(line, { lot: "" });
    }
    setFilled({
      ...filled,
      [line.item_id]: { ...of(line), ...(right !== line && { lot: "" }) },
      [right.item_id]: { lot, lot_expires_on: expires_on ?? of(right).lot_expires_on },
    });
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const items = page.lines.map((line) => ({ item_id: line.item_id, ...of(line) }));
    void work.run({ event: "complete_fill", items }, "Filled. Now somebody else checks it.");
  };
  return (
    <Card
      title={
        <span className="row">
          Fill <Keys keys="a" />
        </span>
      }
    >
      <form className={styles["fill"]} onSubmit={submit}>
        {page.lines.map((line, at) => (
          // biome-ignore lint/a11y/useSemanticElements: two fields of one line
          <div key={line.item_id} role="group" aria-label={line.name} className={styles["fill-row"]}>
            <div>
              <strong>{line.name}</strong>
              <p className="small quiet">
                {line.quantity} × {line.package_size}, {line.ndc === null ? "SKU" : "NDC"}{" "}
                <span className="mono">{line.ndc ?? line.sku}</span>
              </p>
            </div>
            <TextField
              label="Lot"
              required
              // What a scanner types is longer than what is left of it.
              maxLength={120}
              data-next-step={at === 0 || undefined}
              value={of(line).lot}
              onChange={(event) => typeLot(line, event.target.value)}
            />
            <TextField
              label="Expires on"
              type="date"
              required
              value={of(line).lot_expires_on}
              onChange={(event) => set(line, { lot_expires_on: event.target.value })}
            />
          </div>
        ))}
        {wrong && <Notice tone="bad" title={wrong} />}
        <div className="row-apart">
          <span className="small quiet">Scan a package’s 2D code into its lot field to fill in both.</span>
          <Button tone="primary" type="submit" icon="check" busy={work.busy}>
            Filled
          </Button>
        </div>
      </form>
    </Card>
  );
}
