import { campaigns } from "../../chaos/invariants/campaigns.ts";
import { invariants } from "../../chaos/invariants/invariants.ts";
import { seededBugs } from "../../chaos/invariants/seeded-bugs.ts";
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
    "`races` tests itself: after its run it puts these defects into the database, one after another, and fails unless it notices each. `safety`, `year`, `day` and `money` do the same with rules of their own (`chaos/*/*-broken.ts`, `chaos/day/day-ledger.ts`, `chaos/money/money-messages.ts`).\n",
    table(
      ["defect", "in"],
      seededBugs.map(({ bug, function: name }) => [bug, code(`server/functions/${name}.sql`)]),
    ),
    "`mutations`, `contract`, `neighbors` and `hostile` judge answers and times, and not what is stored.\n",
  );
