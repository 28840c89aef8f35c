import { campaigns } from "../../chaos/invariants/campaigns.ts";
import { invariants } from "../../chaos/invariants/invariants.ts";
import { bugs, nameOf } from "../../chaos/seeded/bugs.ts";
import { readResults } from "../../chaos/seeded/seeded.ts";
import { code, generated, page, table } from "./markdown.ts";

export const invariantsPage = () =>
  page(
    generated("`chaos/invariants`"),
    "# Invariants\n",
    "You will know what holds after every fault. The campaigns (`npm run campaign -- NAME`) injure the service and then check these rules. A campaign fails at the first violation and names the rule.\n",
    "Some rules are statements that find violations in the database. Campaigns run them for the account that they used. The other rules compare the service with a ledger that the campaign kept itself: what clients were answered, and what receivers got.\n",
    table(
      ["invariant", "promise", "campaigns", "checked in"],
      invariants.map(({ name, promise, campaigns: own, checked_in }) => [
        code(name),
        promise,
        own.map(code).join(", "),
        checked_in.split(", ").map(code).join(", "),
      ]),
    ),
    "## Which campaign checks what\n",
    table(
      ["campaign", "invariants"],
      campaigns.map((campaign) => [
        code(campaign),
        invariants
          .filter(({ campaigns: own }) => own.includes(campaign))
          .map(({ name }) => code(name))
          .join(", "),
      ]),
    ),
    "## Seeded bugs\n",
    seededSummary(),
    table(
      ["defect", "in", "caught by", "what it said"],
      bugs.map(({ bug, file, by }) => [bug, code(file), code(nameOf(by)), told(bug)]),
    ),
    "Campaigns also test themselves. After its run, `races` puts defects into a function of the database, and `safety`, `year`, `day` and `money` break rules of their own (`chaos/invariants/seeded-bugs.ts`, `chaos/*/*-broken.ts`, `chaos/day/day-ledger.ts`, `chaos/money/money-messages.ts`). Each fails unless it notices every one.\n",
    "`rolling`, `mutations`, `contract`, `neighbors` and `hostile` judge answers and times, and not what is stored.\n",
  );

const results = readResults();

function seededSummary(): string {
  const tried = bugs.filter(({ bug }) => results[bug] !== undefined);
  const caught = tried.filter(({ bug }) => results[bug]!.told !== null);
  return `\`npm run campaign -- seeded\` puts each of these ${bugs.length} defects into a copy of the checkout and runs what should notice it, at a small size. Before, it checks that the same command finds nothing without a defect. Of the ${tried.length} that the last runs tried, they caught ${caught.length} (\`chaos/seeded/results.json\`).\n`;
}

function told(bug: string): string {
  const result = results[bug];
  if (result === undefined) return "not tried";
  return result.told === null ? "**not caught**" : code(result.told.replaceAll("`", "'"));
}
