import { finalStates, holdableStates, type OrderState, orderStates } from "@pestle/contract";
import { type Arrow, lifecycleArrows } from "./lifecycle-arrows.ts";

type Box = { x: number; y: number; width: number; height: number };

const WIDTH = 200;
const HEIGHT = 46;
const STEP = 96;
const TOP = 84;
const LEFT = 110;
const row = (index: number): Box => ({ x: LEFT, y: TOP + index * STEP, width: WIDTH, height: HEIGHT });

/** Position of each state: the path to delivery runs down, with On Hold beside it. The arrows come from the table. */
const places: Record<OrderState, Box> = {
  "Processing/clinical_review": row(0),
  "Filling/fill": row(1),
  "Filling/product_check": row(2),
  "Filling/pack": row(3),
  Shipped: row(4),
  Delivered: row(5),
  "On Hold": { x: 470, y: TOP, width: 110, height: 3 * STEP + HEIGHT },
  Canceled: { x: 690, y: TOP + 1.5 * STEP, width: 120, height: HEIGHT },
};
const START = { x: LEFT + WIDTH / 2, y: 22 };
/** A frame around every state that can be held, so that shared transitions appear once. */
const FRAME: Box = { x: 12, y: 56, width: 592, height: TOP + 3 * STEP + HEIGHT - 56 + 18 };
const framed: readonly string[] = [...holdableStates, "On Hold"];

/** The order lifecycle as an SVG that the page styles. A transition without a position fails the build. */
export function lifecycleSvg(): string {
  const arrows = lifecycleArrows();
  const shared = arrows.filter(({ to }) =>
    framed.every((from) => arrows.some((one) => one.from === from && one.to === to)),
  );
  const ends = new Set(shared.map(({ to }) => to));
  const drawn = arrows.filter(({ to }) => !ends.has(to)).map(path);
  for (const to of ends) drawn.push(fromFrame(shared.find((one) => one.to === to)!));
  return [
    '<figure class="lifecycle"><div class="table" tabindex="0" role="region" aria-label="Diagram of the life of an order">',
    '<svg viewBox="0 0 822 640" role="img" aria-label="Order states and the transitions between them; the table below has the same information">',
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"></path></marker></defs>',
    `<rect class="frame" x="${FRAME.x}" y="${FRAME.y}" width="${FRAME.width}" height="${FRAME.height}" rx="14"></rect>`,
    `<circle class="start" cx="${START.x}" cy="${START.y}" r="7"></circle>`,
    text(START.x + 14, START.y - 6, "new order", "note", "start"),
    ...drawn,
    ...orderStates.map(box),
    "</svg></div></figure>",
  ].join("\n");
}

function box(state: OrderState): string {
  const { x, y, width, height } = places[state];
  const [status, stage] = state.split("/");
  const final = (finalStates as readonly string[]).includes(state);
  const centre = { x: x + width / 2, y: y + height / 2 };
  return [
    `<rect class="state${final ? " final" : ""}${state === "On Hold" ? " held" : ""}" x="${x}" y="${y}" width="${width}" height="${height}" rx="9"></rect>`,
    text(centre.x, centre.y + (stage === undefined ? 5 : -3), status!, "status"),
    ...(stage === undefined ? [] : [text(centre.x, centre.y + 14, stage.replace("_", " "), "note")]),
  ].join("");
}

function path({ from, to, events }: Arrow): string {
  const label = events.join(", ");
  const end = places[to];
  if (from === "new") {
    if (to === "On Hold") {
      const x = end.x + end.width / 2;
      return line(`M${START.x + 7} ${START.y}H${x}V${end.y - 2}`) + text(x - 14, START.y + 14, label, "event", "end");
    }
    if (to === holdableStates[0]) return down(START.x, START.y + 7, end.y, label);
    const y = end.y + end.height / 2 - 9;
    const corner = LEFT - 62;
    return (
      line(`M${START.x - 7} ${START.y}H${corner}V${y}H${end.x - 2}`) +
      text(corner - 6, TOP + 24, label, "event", "middle", corner - 8)
    );
  }
  const begin = places[from];
  if (to === "On Hold" || from === "On Hold") {
    const at = from === "On Hold" ? end : begin;
    const y = at.y + at.height / 2 + (to === "On Hold" ? -9 : 12);
    const [left, right] = [at.x + at.width, places["On Hold"].x];
    const middle = (left + right) / 2;
    const way = to === "On Hold" ? `M${left} ${y}H${right - 2}` : `M${right} ${y}H${left + 2}`;
    return line(way) + text(middle, y - 5, label, "event");
  }
  if (begin.x !== end.x) throw new Error(`the diagram has no way from ${from} to ${to}`);
  const distance = Math.round((end.y - begin.y) / STEP);
  if (distance === 1) return down(begin.x + begin.width / 2, begin.y + begin.height, end.y, label);
  const [y1, y2] = [begin.y + begin.height / 2, end.y + end.height / 2 + 9];
  const x = begin.x - 30;
  return (
    line(`M${begin.x} ${y1}H${x}V${y2}H${end.x - 2}`) + text(x - 6, (y1 + y2) / 2, label, "event", "middle", x - 8)
  );
}

const down = (x: number, y1: number, y2: number, label: string) =>
  line(`M${x} ${y1}V${y2 - 2}`) + text(x + 8, (y1 + y2) / 2 + 4, label, "event", "start");

function fromFrame({ to, events }: Arrow): string {
  const end = places[to];
  const y = end.y + end.height / 2;
  const [left, right] = [FRAME.x + FRAME.width, end.x];
  return line(`M${left} ${y}H${right - 2}`) + text((left + right) / 2, y - 6, events.join(", "), "event");
}

const line = (d: string) => `<path class="arrow" d="${d}" marker-end="url(#tip)"></path>`;

/** `turned` rotates the label so that it runs up the line at that x. */
function text(x: number, y: number, words: string, kind: string, anchor = "middle", turned?: number): string {
  const place = turned === undefined ? `x="${x}" y="${y}"` : `transform="translate(${turned} ${y}) rotate(-90)"`;
  return `<text class="${kind}" ${place} text-anchor="${anchor}">${words}</text>`;
}
