import type { DashboardLine, DashboardOrder } from "@pestle/contract";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { say } from "../../ui/words/say.tsx";
import { type Filled, fillEntry, isFilled, nothingFilled } from "./fill-entry.ts";
import styles from "./order-screen.module.css";
import { noteRefused } from "./step/note-refused.ts";
import type { DoWork } from "./use-order.ts";

/** Lot and expiry of each package pulled from the shelf: typed, or scanned from its GS1 code. */
export function FillCard({
  page,
  work,
  opened,
}: {
  page: DashboardOrder;
  work: DoWork;
  /** The user has just opened the order, so that the first scan goes into its field. */
  opened: boolean;
}) {
  const [filled, setFilled] = useState<Readonly<Record<number, Filled>>>({});
  /** Stays until the next scan, because the user may be looking at the package instead of the screen. */
  const [wrong, setWrong] = useState<string | null>(null);
  /** The line whose lot field changed since it was last parsed. */
  const open = useRef<number | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const refused = page.cannot.find(({ event }) => event === "complete_fill");
  if (refused) return <Notice title={say("You cannot fill this order")}>{refused.message}</Notice>;
  if (!page.can.includes("complete_fill")) return null;

  const lots = page.lines.filter(({ has_lot }) => has_lot);
  const of = (line: DashboardLine) => filled[line.item_id] ?? nothingFilled;
  const set = (line: DashboardLine, given: Partial<Filled>) =>
    setFilled({ ...filled, [line.item_id]: { ...of(line), ...given } });

  const settle = (line: DashboardLine, text: string): Filled => {
    if (open.current !== line.item_id || text.trim() === "") return of(line);
    open.current = null;
    const entry = fillEntry(text, line, page.lines, of(line));
    if (entry.scanned) setWrong(entry.wrong);
    if (entry.wrong !== null) noteRefused(page, text, [line]);
    set(line, entry.filled);
    return entry.filled;
  };
  const type = (line: DashboardLine, text: string, pasted: boolean) => {
    open.current = line.item_id;
    if (pasted && text.trim() !== "") settle(line, text);
    else set(line, { lot: text });
  };
  /** Scanners end with Enter. Move to the next empty field instead of submitting the form. */
  const enter = (line: DashboardLine, event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    // Enter once more, after the scanner's own, confirms.
    if (open.current !== line.item_id && lots.every((one) => isFilled(of(one)))) return form.current?.requestSubmit();
    const now = settle(line, event.currentTarget.value);
    if (now.lot === "") return;
    const next = isFilled(now) ? lots.find((one) => one !== line && !isFilled(of(one))) : line;
    const field = next === line ? "lot_expires_on" : "lot";
    if (next) form.current?.querySelector<HTMLElement>(`[name="${field}-${next.item_id}"]`)?.focus();
    else event.currentTarget.select();
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!lots.every((line) => isFilled(of(line)))) return;
    const items = page.lines.map((line) => ({ item_id: line.item_id, ...(line.has_lot && of(line)) }));
    void work.run({ event: "complete_fill", items }, say("Filled. Ready for product check."));
  };
  return (
    <Card
      title={
        <span className="row">
          {say("Fill")} <Keys keys="a" />
        </span>
      }
    >
      <form ref={form} className={styles["fill"]} onSubmit={submit}>
        {page.lines.map((line) => (
          // biome-ignore lint/a11y/useSemanticElements: two fields of one line
          <div key={line.item_id} role="group" aria-label={line.name} className={styles["fill-row"]}>
            <div>
              <strong>{line.name}</strong>
              <p className="small quiet">
                {line.quantity} × {line.package_size}, {line.ndc === null ? say("SKU") : say("NDC")}{" "}
                <span className="mono">{line.ndc ?? line.sku}</span>
              </p>
            </div>
            {line.has_lot ? (
              <>
                <TextField
                  label={say("Lot")}
                  name={`lot-${line.item_id}`}
                  required
                  // The scanned code is longer than the lot parsed from it.
                  maxLength={200}
                  spellCheck={false}
                  autoFocus={opened && line === lots[0]}
                  data-next-step={line === lots[0] || undefined}
                  value={of(line).lot}
                  onChange={(event) =>
                    type(line, event.target.value, (event.nativeEvent as InputEvent).inputType === "insertFromPaste")
                  }
                  onKeyDown={(event) => enter(line, event)}
                  onBlur={(event) => settle(line, event.target.value)}
                />
                <TextField
                  label={say("Expires on")}
                  name={`lot_expires_on-${line.item_id}`}
                  type="date"
                  required
                  value={of(line).lot_expires_on}
                  onChange={(event) => set(line, { lot_expires_on: event.target.value })}
                />
              </>
            ) : (
              <p className="quiet">{say("No lot to record")}</p>
            )}
          </div>
        ))}
        <div role="status">{wrong && <Notice tone="bad" title={wrong} />}</div>
        <div className="row-apart">
          <span className="small quiet">
            {lots.length > 0 && say("Scan a package’s 2D code into its Lot field to fill in both fields.")}
          </span>
          <Button
            tone="primary"
            type="submit"
            icon="check"
            busy={work.busy}
            data-next-step={lots.length === 0 || undefined}
          >
            {say("Complete fill")}
          </Button>
        </div>
      </form>
    </Card>
  );
}
