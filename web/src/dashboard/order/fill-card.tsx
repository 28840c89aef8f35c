import { type DashboardLine, type DashboardOrder, MOST_ITEM_LOTS } from "@pestle/contract";
import { type FormEvent, Fragment, type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { dateText } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import {
  type Filled,
  fillEntry,
  filledLine,
  isComplete,
  isFilled,
  nothingTaken,
  type Part,
  withAnother,
} from "./fill-entry.ts";
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
  const [filled, setFilled] = useState<Readonly<Record<number, readonly Part[]>>>({});
  /** Stays until the next scan, because the user may be looking at the package instead of the screen. */
  const [wrong, setWrong] = useState<string | null>(null);
  /** The lot field that changed since it was last parsed. */
  const open = useRef<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const refused = page.cannot.find(({ event }) => event === "complete_fill");
  if (refused) {
    return (
      <Notice title={say("You cannot fill this order")}>
        <span lang="en">{refused.message}</span>
      </Notice>
    );
  }
  if (!page.can.includes("complete_fill")) return null;

  const lots = page.lines.filter(({ has_lot }) => has_lot);
  const of = (line: DashboardLine) => filled[line.item_id] ?? [nothingTaken];
  const put = (line: DashboardLine, parts: readonly Part[]) => setFilled({ ...filled, [line.item_id]: parts });
  const set = (line: DashboardLine, at: number, given: Partial<Part>) =>
    put(
      line,
      of(line).map((part, nth) => (nth === at ? { ...part, ...given } : part)),
    );
  const complete = (line: DashboardLine) => isComplete(of(line), line);

  const settle = (line: DashboardLine, at: number, text: string): Filled => {
    if (open.current !== placeOf(line, at) || text.trim() === "") return of(line)[at]!;
    open.current = null;
    const entry = fillEntry(text, line, page.lines, of(line)[at]!);
    if (entry.scanned) setWrong(entry.wrong);
    if (entry.wrong !== null) noteRefused(page, text, [line]);
    set(line, at, entry.filled);
    return entry.filled;
  };
  const type = (line: DashboardLine, at: number, text: string, pasted: boolean) => {
    open.current = placeOf(line, at);
    if (pasted && text.trim() !== "") settle(line, at, text);
    else set(line, at, { lot: text });
  };
  /** Scanners end with Enter. Move to the next empty field instead of submitting the form. */
  const enter = (line: DashboardLine, at: number, event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    // Enter once more, after the scanner's own, confirms.
    if (open.current !== placeOf(line, at) && lots.every(complete)) return form.current?.requestSubmit();
    const now = settle(line, at, event.currentTarget.value);
    if (now.lot === "") return;
    const places = lots.flatMap((one) => of(one).map((part, nth) => ({ line: one, at: nth, part })));
    const here = placeOf(line, at);
    const next = isFilled(now)
      ? places.find((one) => placeOf(one.line, one.at) !== here && !isFilled(one.part))
      : { line, at };
    const field = next && placeOf(next.line, next.at) === here ? "lot_expires_on" : "lot";
    if (next) form.current?.querySelector<HTMLElement>(`[name="${field}-${placeOf(next.line, next.at)}"]`)?.focus();
    else event.currentTarget.select();
  };
  const another = (line: DashboardLine) => {
    put(line, withAnother(of(line), line));
    const name = `lot-${placeOf(line, of(line).length)}`;
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus());
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const short = lots.find((line) => of(line).length > 1 && of(line).every(isFilled) && !complete(line));
    if (short)
      return setWrong(
        say("The units of the lots of {name} must add up to {units}.", { name: short.name, units: short.units }),
      );
    if (!lots.every(complete)) return;
    const items = page.lines.map((line) => (line.has_lot ? filledLine(line, of(line)) : { item_id: line.item_id }));
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
              {line.suggested_lots.length > 0 && (
                <p className="small">
                  {sayWith("Take first: {lots}", {
                    lots: line.suggested_lots.map(({ lot, lot_expires_on, units }, at) => (
                      <span key={lot}>
                        {at > 0 && "; "}
                        {sayWith("{units} of lot {lot}, expires {date}", {
                          units,
                          lot: <span className="mono">{lot}</span>,
                          date: dateText(lot_expires_on),
                        })}
                      </span>
                    )),
                  })}
                </p>
              )}
            </div>
            {line.has_lot ? (
              of(line).map((part, at) => (
                <Fragment key={placeOf(line, at)}>
                  {at > 0 && (
                    <div className={styles["fill-more"]}>
                      <Button
                        small
                        icon="close"
                        onClick={() =>
                          put(
                            line,
                            of(line).filter((_, nth) => nth !== at),
                          )
                        }
                      >
                        {say("Remove lot")}
                      </Button>
                    </div>
                  )}
                  <TextField
                    label={say("Lot")}
                    name={`lot-${placeOf(line, at)}`}
                    required
                    // The scanned code is longer than the lot parsed from it.
                    maxLength={200}
                    spellCheck={false}
                    autoFocus={opened && line === lots[0] && at === 0}
                    data-next-step={(line === lots[0] && at === 0) || undefined}
                    value={part.lot}
                    onChange={(event) =>
                      type(
                        line,
                        at,
                        event.target.value,
                        (event.nativeEvent as InputEvent).inputType === "insertFromPaste",
                      )
                    }
                    onKeyDown={(event) => enter(line, at, event)}
                    onBlur={(event) => settle(line, at, event.target.value)}
                  />
                  <TextField
                    label={say("Expires on")}
                    name={`lot_expires_on-${placeOf(line, at)}`}
                    type="date"
                    required
                    value={part.lot_expires_on}
                    onChange={(event) => set(line, at, { lot_expires_on: event.target.value })}
                  />
                  {of(line).length > 1 && (
                    <div className={styles["fill-units"]}>
                      <TextField
                        label={say("Units")}
                        type="number"
                        inputMode="decimal"
                        min={0.001}
                        step="0.001"
                        required
                        value={part.units}
                        onChange={(event) => set(line, at, { units: event.target.value })}
                      />
                    </div>
                  )}
                </Fragment>
              ))
            ) : (
              <p className="quiet">{say("No lot to record")}</p>
            )}
            {line.has_lot && of(line).length < MOST_ITEM_LOTS && (
              <div className={styles["fill-more"]}>
                <Button small icon="plus" onClick={() => another(line)}>
                  {say("Add another lot")}
                </Button>
              </div>
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

/** The first lot of a line has the line's own number, as if it were the only one. */
const placeOf = ({ item_id }: DashboardLine, at: number) => (at === 0 ? `${item_id}` : `${item_id}-${at + 1}`);
