import { type DashboardHome, queues } from "@pestle/contract";

/** Digests are sent from this time of the pharmacy's day on. */
export const DIGEST_TIME = "07:00:00";

/** The letter of a daily digest: counts, and no order or patient. */
export function digestLetter(
  { queues: tiles, reviews, unread }: DashboardHome,
  { pharmacy, dashboard, date }: { pharmacy: string; dashboard: string; date: string },
): { subject: string; text: string } {
  const lines = tiles
    .filter(({ key }) => key !== "shipped_today")
    .map(({ key, count, late }) => `${queues[key].name}: ${count}${late > 0 ? `, ${late} late` : ""}`);
  const text = [
    `${pharmacy} on ${date}, orders in each queue:`,
    [...lines, `Reviews: ${reviews}`].join("\n"),
    unread === 0 ? "You have no unread notifications." : `You have ${counted(unread, "unread notification")}.`,
    dashboard,
    "You receive this email because you turned on the daily digest. Turn it off under Your sign-in.",
    "",
  ].join("\n\n");
  return { subject: `Your day at ${pharmacy}`, text };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
