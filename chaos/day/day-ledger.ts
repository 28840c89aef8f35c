/* What the day was by the campaign's own book, what the service says about it, and where the two differ. */

/** A place of stock: an account, a product and a lot. */
type Place = { account_id: string; sku: string; lot: string };
export type Units = Place & { units: number };

/** What the people of the day did, written down by the campaign. */
export type DayBook = {
  received: Units[];
  /** The packages of each shipped item, by what was scanned. */
  shipped: { account_id: string; order_number: string; sku: string; lots: { lot: string; units: number }[] }[];
  returned: Units[];
  /** `returned`: of a parcel that came back. */
  destroyed: (Units & { returned: boolean })[];
  recalled: string[];
  /** The wrong packages that the service writes down, in the words of the report. */
  misses: { order_number: string; what: string }[];
};

/** What the service says. */
export type DayFacts = {
  /** Lots by the table of stock, with the sums of the ledger. */
  lots: (Place & {
    on_hand: number;
    filled: number;
    held_returns: number;
    quarantined: boolean;
    entries: Record<"received" | "dispensed" | "returned" | "destroyed" | "returned_destroyed", number>;
  })[];
  /** Products: all of the stock, and what has no lot. */
  shelves: { account_id: string; sku: string; on_hand: number; reserved: number; loose: number }[];
  /** The reports for inspectors. */
  dispensing: { order_number: string; units: number; lots: string[] }[];
  near_misses: { order_number: string; what: string }[];
  /** The last balances of the controlled products. */
  controlled: { account_id: string; sku: string; on_hand: number; returned: number }[];
};

const keyOf = ({ account_id, sku, lot }: Place) => `${account_id} ${sku} ${lot}`;

function sums(units: readonly Units[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const one of units) found.set(keyOf(one), (found.get(keyOf(one)) ?? 0) + one.units);
  return found;
}

/** Whatever does not add up. Empty if everything does. */
export function dayFaults(book: DayBook, facts: DayFacts): string[] {
  return [...lotFaults(book, facts), ...shelfFaults(facts), ...reportFaults(book, facts)];
}

function lotFaults(book: DayBook, { lots }: DayFacts): string[] {
  const dispensed = book.shipped.flatMap(({ account_id, sku, lots: own }) =>
    own.map((one) => ({ account_id, sku, ...one })),
  );
  const told = {
    received: sums(book.received),
    dispensed: sums(dispensed),
    returned: sums(book.returned),
    destroyed: sums(book.destroyed.filter(({ returned }) => !returned)),
    returned_destroyed: sums(book.destroyed.filter(({ returned }) => returned)),
  };
  const faults: string[] = [];
  const known = new Set(lots.map(keyOf));
  for (const key of new Set(Object.values(told).flatMap((of) => [...of.keys()]))) {
    if (!known.has(key)) faults.push(`${key}: the service does not know this lot`);
  }
  for (const lot of lots) {
    const key = keyOf(lot);
    const own = (kind: keyof typeof told) => told[kind].get(key) ?? 0;
    for (const kind of Object.keys(told) as (keyof typeof told)[]) {
      if (lot.entries[kind] !== own(kind))
        faults.push(`${key}: ${own(kind)} units were ${kind}, and the ledger has ${lot.entries[kind]}`);
    }
    const on_shelf = lot.quarantined ? 0 : lot.on_hand;
    const in_quarantine = lot.quarantined ? lot.on_hand : 0;
    const gone = own("dispensed") - own("returned") + own("destroyed") + own("returned_destroyed");
    const sum = on_shelf + in_quarantine + lot.held_returns + gone;
    if (sum !== own("received")) faults.push(`${key}: ${own("received")} units came, and ${sum} are accounted for`);
    if (lot.filled !== 0) faults.push(`${key}: ${lot.filled} units are in filled orders, and all have shipped`);
    if (lot.quarantined !== book.recalled.includes(lot.lot))
      faults.push(`${key}: ${lot.quarantined ? "in quarantine without a recall" : "recalled and not in quarantine"}`);
  }
  return faults;
}

function shelfFaults({ lots, shelves }: DayFacts): string[] {
  return shelves.flatMap(({ account_id, sku, on_hand, reserved, loose }) => {
    const own = lots.filter((lot) => lot.account_id === account_id && lot.sku === sku);
    const sum = own.reduce((total, lot) => total + lot.on_hand, 0);
    const place = `${account_id} ${sku}`;
    return [
      ...(sum === on_hand ? [] : [`${place}: the shelf has ${on_hand} units, and its lots ${sum}`]),
      ...(loose === 0 ? [] : [`${place}: ${loose} units have no lot`]),
      ...(reserved === 0 ? [] : [`${place}: ${reserved} units are reserved, and no order is open`]),
    ];
  });
}

function reportFaults(book: DayBook, facts: DayFacts): string[] {
  const faults: string[] = [];
  const line = (order_number: string, units: number, lots: readonly string[]) =>
    `${order_number} ${units} ${[...lots].sort().join(" ")}`;
  const shipped = book.shipped.map(({ order_number, lots }) =>
    line(
      order_number,
      lots.reduce((total, { units }) => total + units, 0),
      lots.map(({ lot }) => lot),
    ),
  );
  const logged = facts.dispensing.map(({ order_number, units, lots }) => line(order_number, units, lots));
  faults.push(...differences("the dispensing log", shipped, logged));
  const miss = ({ order_number, what }: { order_number: string; what: string }) => `${order_number} ${what}`;
  faults.push(...differences("the near misses", book.misses.map(miss), facts.near_misses.map(miss)));
  for (const { account_id, sku, on_hand, returned } of facts.controlled) {
    const shelf = facts.shelves.find((one) => one.account_id === account_id && one.sku === sku);
    const held = facts.lots.filter((one) => one.account_id === account_id && one.sku === sku);
    const returns = held.reduce((total, { held_returns }) => total + held_returns, 0);
    if (shelf?.on_hand !== on_hand)
      faults.push(
        `${account_id} ${sku}: the controlled ledger ends with ${on_hand}, and the shelf has ${shelf?.on_hand}`,
      );
    if (returns !== returned)
      faults.push(
        `${account_id} ${sku}: the controlled ledger has ${returned} returned units, and the shelf ${returns}`,
      );
  }
  return faults;
}

/** Lines that one list has more often than the other. */
function differences(name: string, own: readonly string[], told: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const one of own) left.set(one, (left.get(one) ?? 0) + 1);
  for (const one of told) left.set(one, (left.get(one) ?? 0) - 1);
  return [...left].flatMap(([one, times]) =>
    times === 0 ? [] : `${name}: ${times > 0 ? "lacks" : "has too often"} ${one}`,
  );
}

type Change = (facts: DayFacts) => void;
const first = <One>(from: readonly One[]): One => {
  if (from[0] === undefined) throw new Error("the day has nothing to break");
  return from[0];
};

/** Numbers of the service, each broken on purpose. The checks must notice every one. */
export const brokenNumbers: Record<string, Change> = {
  "a unit more on the shelf": ({ lots }) => {
    first(lots).on_hand += 1;
  },
  "a unit less dispensed in the ledger": ({ lots }) => {
    first(lots).entries.dispensed -= 1;
  },
  "a unit that came back is lost": ({ lots }) => {
    first(lots.filter(({ held_returns }) => held_returns > 0)).held_returns -= 1;
  },
  "a destruction is not in the ledger": ({ lots }) => {
    first(lots.filter(({ entries }) => entries.destroyed > 0)).entries.destroyed = 0;
  },
  "a recalled lot is not in quarantine": ({ lots }) => {
    first(lots.filter(({ quarantined }) => quarantined)).quarantined = false;
  },
  "the product's stock differs from its lots": ({ shelves }) => {
    first(shelves).on_hand += 30;
  },
  "a shipped item is not in the dispensing log": ({ dispensing }) => {
    dispensing.pop();
  },
  "a wrong lot is in the dispensing log": ({ dispensing }) => {
    first(dispensing).lots.push("OTHER");
  },
  "a near miss is not in the report": ({ near_misses }) => {
    near_misses.pop();
  },
  "the controlled ledger ends with another balance": ({ controlled }) => {
    first(controlled).on_hand -= 30;
  },
};

/** The broken numbers that the checks do not notice. Empty if they notice all. */
export const unnoticed = (book: DayBook, facts: DayFacts): string[] =>
  Object.entries(brokenNumbers).flatMap(([what, change]) => {
    const broken = structuredClone(facts);
    change(broken);
    return dayFaults(book, broken).length === 0 ? what : [];
  });
