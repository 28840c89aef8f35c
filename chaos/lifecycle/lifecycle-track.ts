import { change, DAY_MS, isOpen, itemsOf, type Life, type Model, move, nowOf, system } from "./lifecycle-model.ts";

const DELIVERED_AFTER_MS = 7 * DAY_MS;
/** When the campaign's carrier reports news about a shipped parcel. */
export const IN_TRANSIT_MS = DAY_MS;
export const END_MS = 3 * DAY_MS;

const ENDS: readonly string[] = ["delivered", "lost", "returned"];

export function hear(life: Life, by: string, status: NonNullable<Life["parcel"]>["status"]): void {
  life.parcel!.status = status;
  if (ENDS.includes(status)) life.parcel!.look_ms = null;
  if (status === "delivered") move(life, by, "deliver", "Delivered");
  else move(life, by, "track", "Shipped");
}

/** Polls the carrier for every parcel that may have news. */
export function track(model: Model): void {
  const now = nowOf(model);
  for (const life of model.orders) {
    const { parcel } = life;
    if (parcel === null || parcel.look_ms === null || parcel.look_ms > now) continue;
    const scans = [
      [parcel.sent_ms + IN_TRANSIT_MS, "in_transit"],
      [parcel.sent_ms + END_MS, life.address.end],
    ] as const;
    const { heard_ms } = parcel;
    for (const [at, status] of scans.filter((scan) => scan[0] <= now)) {
      if (at > heard_ms && status !== parcel.status) hear(life, "carrier", status);
      parcel.heard_ms = Math.max(parcel.heard_ms, at);
    }
    if (!ENDS.includes(parcel.status)) parcel.look_ms = scans.find(([at]) => at > now)?.[0] ?? null;
  }
}

/** Delivers stock that was on order long enough, then gives the available units to waiting orders, oldest first. */
export function serve(model: Model): void {
  const waiting = model.orders.filter(isOpen).flatMap((life) =>
    itemsOf(life)
      .filter(({ reserved }) => !reserved)
      .map((item) => ({ life, item })),
  );
  for (const [sku, shelf] of model.shelves) {
    const due = waiting.filter(
      ({ life, item }) => item.sku === sku && life.born_ms <= nowOf(model) - DELIVERED_AFTER_MS,
    );
    const wanted = due.reduce((sum, { item }) => sum + item.units, 0);
    if (wanted > 0) shelf.on_hand += Math.max(0, wanted - (shelf.on_hand - shelf.reserved));
  }
  const served = new Set<Life>();
  for (const { life, item } of waiting) {
    const shelf = model.shelves.get(item.sku)!;
    if (shelf.on_hand - shelf.reserved < item.units) continue;
    shelf.reserved += item.units;
    item.reserved = true;
    served.add(life);
  }
  for (const life of served) change(model, life, system, {});
}
