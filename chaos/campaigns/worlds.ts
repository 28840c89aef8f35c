import { memoryFolder } from "../../scripts/memory-folder.ts";
import { seededRandom } from "../random.ts";
import { parts, shares } from "../tally.ts";
import { type Campaign, count, seed, TESTS_ITSELF } from "./campaign.ts";
import { onOwnDatabase } from "./own-database.ts";
import { figures, seconds, showBroken, showFaults } from "./show.ts";

const DAY_SHOWN_EVERY = 10;
/** Each stage has its own database and is judged at its end. */
const ORDERS_PER_STAGE = 2_000;
/** Enough to notice each rule of the year that the campaign broke itself. Another seed may need more patients. */
const BROKEN_YEAR = { count: 6, seed: 1, days: 150 };
/** Enough to notice each rule about money that the campaign broke itself. */
const BROKEN_MONEY = { orders: 60, kills: 1 };
/** The longest that a year of the sandbox may take. */
const YEAR_LIMIT_MS = 120_000;

/** Campaigns that play a small world with its own books, and then compare them with the service's. */
export const worldCampaigns: Record<string, Campaign> = {
  year: {
    about:
      "a year of refills in the sandbox: statements, ledger and payments agree, no event is missing, nobody runs out",
    options: { count: count(200, "patients"), seed },
    async run({ count, seed, inStages }) {
      const { playYear } = await import("../year/year.ts");
      const { brokenYears } = await import("../year/year-broken.ts");
      const { openYearHost } = await import("../year/year-host.ts");
      type Host = Awaited<ReturnType<typeof openYearHost>>;
      // Small, and never killed, so memory is durable enough.
      const onHost = <Result>(play: (host: Host) => Promise<Result>) =>
        onOwnDatabase(async (own) => {
          const host = await openYearHost(own);
          return play(host).finally(() => host.close());
        }, memoryFolder());
      const { found, took_ms } = await inStages([
        () => onHost((host) => playYear(host, { count, seed: seed % 2 ** 31 })),
      ]);
      const { seen, faults, played_ms } = found;
      showSeen(seen);
      console.log(
        `played a year in ${seconds(played_ms)}, checked it in ${seconds(took_ms - played_ms)}  faults ${faults.length}`,
      );
      const well = showFaults(faults) && played_ms < YEAR_LIMIT_MS;
      if (!well || !TESTS_ITSELF) return well;
      return onHost(async (host) => {
        let all = true;
        for (const [rule, { breakRule, caught }] of Object.entries(brokenYears)) {
          const broken = await playYear(host, { ...BROKEN_YEAR, breakRule });
          all =
            showBroken(
              rule,
              broken.faults.find((one) => caught.test(one)),
            ) && all;
        }
        return all;
      });
    },
  },
  day: {
    about:
      "a day at the benches in a browser with a scanner: wrong packages are caught, a recall, returns; the ledgers add up",
    options: { orders: { about: "orders", initial: [200], least: 6 }, seed },
    async run({ orders, seed, inStages }) {
      const { playDay } = await import("../day/day.ts");
      const { openYearHost } = await import("../year/year-host.ts");
      const { launchBrowser } = await import("../../e2e/support/open-page.ts");
      const stage = () =>
        onOwnDatabase(async (own) => {
          const host = await openYearHost(own);
          const browser = await launchBrowser();
          const onProgress = (shipped: number) => {
            if (shipped % DAY_SHOWN_EVERY === 0) console.log(`${shipped} orders shipped`);
          };
          try {
            return await playDay(host, browser, { orders, seed: seed % 2 ** 31, onProgress });
          } finally {
            await browser.close();
            await host.close();
          }
        }, memoryFolder());
      const { found, took_ms } = await inStages([stage]);
      const { seen, faults, unnoticed } = found;
      showSeen(seen);
      console.log(`the day took ${seconds(took_ms)}  faults ${faults.length}`);
      for (const what of unnoticed) showBroken(what, undefined);
      if (unnoticed.length === 0) console.log("broken on purpose: every number was caught");
      return showFaults(faults) && unnoticed.length === 0;
    },
  },
  money: {
    about:
      "card payments at a provider that loses and doubles answers and events, under kills: charged equals shipped, to the cent",
    options: {
      orders: count(20_000, "production orders that patients pay"),
      kills: { about: "kills of the service", initial: [200] },
      seed,
    },
    async run({ orders, kills, seed, inStages }) {
      const { campaignMoney } = await import("../money/money.ts");
      const { brokenMoneys } = await import("../money/money-messages.ts");
      const sizes = parts(orders, ORDERS_PER_STAGE);
      const killed = shares(kills, sizes);
      const stages = sizes.map(
        (size, stage) => (random: () => number) =>
          onOwnDatabase((own) => campaignMoney({ ...own, orders: size, kills: killed[stage]!, random })),
      );
      const { found, took_ms } = await inStages(stages, (so_far) =>
        console.log(`${so_far.orders} orders, ${so_far.faults.length} faults`),
      );
      const { charged_cents, shipped_cents, faults, ...counts } = found;
      const dollars = (cents: number) => (cents / 100).toFixed(2);
      console.log(`took ${seconds(took_ms)}${figures(counts)}`);
      console.log(`charged ${dollars(charged_cents)}  shipped ${dollars(shipped_cents)}  faults ${faults.length}`);
      let well = showFaults(faults) && charged_cents === shipped_cents;
      for (const broken of well && TESTS_ITSELF ? brokenMoneys : []) {
        const caught = await onOwnDatabase((own) =>
          campaignMoney({ ...own, ...BROKEN_MONEY, random: seededRandom(seed), broken }),
        );
        well = showBroken(broken, caught.faults[0]) && well;
      }
      return well;
    },
  },
};

function showSeen(seen: Readonly<Record<string, number>>): void {
  for (const [what, times] of Object.entries(seen).sort())
    console.log(`${what.padEnd(60)}${String(times).padStart(10)}`);
}
