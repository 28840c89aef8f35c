export type Range = { readonly min: number; readonly max: number };
/** Why directions are unparsed. */
export type SigFault =
  | "blank"
  | "too_long"
  | "not_understood"
  | "contradictory"
  | "no_dose"
  | "no_frequency"
  | "mixed_units";

/** One dose with its frequency. "1 in the morning and 2 at bedtime" has two, "2 daily, then 1 daily" has two steps. */
export type Part = {
  dose: { min: number; max: number; unit: string } | null;
  stated_mg: number | null;
  /** Doses per day, each time that the directions name a frequency. */
  rates: Range[];
  times: Set<string>;
  weekdays: Set<string>;
  meals: boolean;
  applied: boolean;
  sides: number;
  repeats: "no" | "once" | "often";
  days: number | null;
};
export type Reading = {
  steps: Part[][];
  part: Part;
  next_step: boolean;
  prn: boolean;
  weekly: boolean;
  most: { amount: number; unit: string } | null;
  fault: SigFault | null;
};

const newPart = (): Part => ({
  dose: null,
  stated_mg: null,
  rates: [],
  times: new Set(),
  weekdays: new Set(),
  meals: false,
  applied: false,
  sides: 1,
  repeats: "no",
  days: null,
});

export function newReading(): Reading {
  const part = newPart();
  return { steps: [[part]], part, next_step: false, prn: false, weekly: false, most: null, fault: null };
}

const FRACTIONS: Readonly<Record<string, number>> = { "½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3 };
const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const NUMBER_WORD = new RegExp(`\\b(?:${NUMBERS.join("|")})\\b`, "g");

/** Lower case, digits for numbers, and one space between words. */
export function simplified(text: string): string {
  return text
    .toLowerCase()
    .replace(/(?:(\d+) ?)?([½¼¾⅓⅔])/g, (_all, whole: string | undefined, sign: string) =>
      String(Number(whole ?? 0) + (FRACTIONS[sign] as number)),
    )
    .replace(/[‐‑‒–—]/g, "-")
    .replace(/['’`´*"]/g, "")
    .replace(/\(s\)|\(es\)/g, "s")
    .replace(/\s+/g, " ")
    .replace(/\b(?:[a-z]\.){2,}/g, (letters) => letters.replaceAll(".", ""))
    .replace(/(\d),(\d{3})\b/g, "$1$2")
    .replace(NUMBER_WORD, (word) => String(NUMBERS.indexOf(word) + 1))
    .replace(/\b(\d+)[ -](?:and )?1[/⁄]2\b|\b(\d+) and (?:a|1)[ -]half\b/g, (_all, a?: string, b?: string) =>
      String(Number(a ?? b) + 0.5),
    )
    .replace(/\b1[ -]half\b(?: of)?(?: an?\b)?|\b(?:a )?half(?: of)?(?: an?\b| 1\b)?|(?<![\d./])1[/⁄]2\b/g, "0.5")
    .replace(/(?<![\d./])1[/⁄]4\b/g, "0.25")
    .replace(/(^|[^\d])\.(\d)/g, "$10.$2")
    .replace(/(\d)(?=[a-z])/g, "$1 ")
    .replace(/\b(\d+(?:\.\d+)?) ?\( ?\1 ?\)/g, "$1")
    .trim();
}

/** Units as people write them, and how many of the canonical unit one is. */
const units: readonly (readonly [words: string, unit: string, count: number])[] = [
  ["tablets?|tabs?|tbs|caplets?|pills?|odt", "tablet", 1],
  ["capsules?|caps?|softgels?|gelcaps?|gel caps?", "capsule", 1],
  ["lozenges?|troches?", "lozenge", 1],
  ["films?|strips?", "film", 1],
  ["packets?|sachets?|pouch(?:es)?|powder packets?", "packet", 1],
  ["suppository|suppositories|supp", "suppository", 1],
  ["patch(?:es)?", "patch", 1],
  ["puffs?|inhalations?|actuations?", "puff", 1],
  ["sprays?", "spray", 1],
  ["drops?|gtts?", "drop", 1],
  ["ml|mls|milliliters?|millilitres?|cc", "mL", 1],
  ["teaspoons?|teaspoonfuls?|tsps?", "mL", 5],
  ["tablespoons?|tablespoonfuls?|tbsps?", "mL", 15],
  ["mg|mgs|milligrams?", "mg", 1],
  ["mcg|mcgs|micrograms?|ug", "mg", 0.001],
  ["gm|gms|grams?|g", "mg", 1000],
  ["units?|iu", "unit", 1],
  ["meq|milliequivalents?", "meq", 1],
  ["vials?|ampules?|nebules?", "vial", 1],
  ["pens?|syringes?|injections?|autoinjectors?|auto-injectors?", "injection", 1],
  ["applications?|applicatorfuls?|applicators?", "application", 1],
  ["rings?", "ring", 1],
  ["doses?", "dose", 1],
];
const UNIT = `(?:${units.map(([words]) => words).join("|")})\\b`;
const unitRows = units.map(([words, unit, count]) => ({ is: new RegExp(`^(?:${words})$`), unit, count }));

function unitOf(word: string): { unit: string; count: number } {
  return unitRows.find(({ is }) => is.test(word)) ?? { unit: "each", count: 1 };
}

const N = "\\d+(?:\\.\\d+)?";
const R = `(${N})(?: ?(?:-|to|or) ?(${N}))?`;
const EACH = "(?:a|per|each|every|/)";
const COUNT = `(once|twice|thrice|${R} ?(?:times?|x))`;
const HOURS = "(?:hours?|hrs?|h)\\b";
const DAY = "(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?";
const PART_OF_DAY =
  "(?:in the |every |each |at )?(?:(morning|breakfast|am|a m)|(noon|lunch|lunchtime|midday)|(afternoon)|(evening|dinner|supper|pm|p m)|(night|bedtime|bed|hs))";
const DOSING =
  "take|then|max|maximum|do|not|no|every|each|daily|twice|once|at|by|in|with|without|until|for|as|may|repeat|weekly|nightly|bid|tid|qid|prn|increase|decrease|reduce|per|use|apply|inject|stop|before|after|up|qhs|hs|qd|qam|qpm|qod|q|x|on|to|total|limit|nte|mdd";
const WORD = `(?!(?:${DOSING})\\b|q ?\\d)[a-z][a-z/-]*(?![a-z0-9])`;
const PLACES =
  "affected (?:areas?|skin)|areas?|skin|face|scalp|body|nails?|lesions?|rash|hands?|feet|back|chest|abdomen|thighs?|upper arms?|arms?|shoulders?|stomach|legs?|eyelids?|gums?|lips?|site";

type Groups = (string | undefined)[];
type Piece = { is: RegExp; does?: (reading: Reading, groups: Groups) => void };

const piece = (source: string, does?: Piece["does"]): Piece => ({
  is: new RegExp(source, "y"),
  ...(does && { does }),
});
const rangeOf = (low: string | undefined, high: string | undefined): Range => {
  const a = Number(low);
  const b = high === undefined ? a : Number(high);
  return { min: Math.min(a, b), max: Math.max(a, b) };
};
const countOf = ([, word, low, high]: Groups): Range =>
  word === "once"
    ? { min: 1, max: 1 }
    : word === "twice"
      ? { min: 2, max: 2 }
      : word === "thrice"
        ? { min: 3, max: 3 }
        : rangeOf(low, high);
const per = ({ min, max }: Range, days: number): Range => ({ min: min / days, max: max / days });
/** Once in so many days: the longer the interval, the lower the rate. */
const once = ({ min, max }: Range): Range => ({ min: 1 / max, max: 1 / min });
export const ONE: Range = { min: 1, max: 1 };

function rate(reading: Reading, value: Range, weekly = false): void {
  reading.part.rates.push(value);
  if (weekly) reading.weekly = true;
}

/** A new dose begins a new part, and after "then" or a finished course a new step. */
function dose(reading: Reading, given: { min: number; max: number; unit: string }): void {
  const { part } = reading;
  if (part.dose === null && !reading.next_step) {
    part.dose = given;
    return;
  }
  if (part.dose !== null && !reading.next_step && !hasFrequency(part)) {
    // The same dose in two ways: "1 tablet 20 mg", "10 mg (0.5 mL)".
    const [mass, other] = given.unit === "mg" ? [given, part.dose] : [part.dose, given];
    if (mass.unit !== "mg" || other.unit === "mg" || mass.min !== mass.max || part.stated_mg !== null) {
      reading.fault = "contradictory";
      return;
    }
    part.stated_mg = mass.max;
    part.dose = other;
    return;
  }
  const next = newPart();
  next.dose = given.unit === "each" && part.dose !== null ? { ...given, unit: part.dose.unit } : given;
  next.applied = part.applied;
  if (reading.next_step || part.days !== null) reading.steps.push([next]);
  else (reading.steps.at(-1) as Part[]).push(next);
  reading.part = next;
  reading.next_step = false;
}

const hasFrequency = ({ rates, times, weekdays, meals, days, repeats }: Part) =>
  rates.length > 0 || times.size > 0 || weekdays.size > 0 || meals || days !== null || repeats !== "no";

function lasts(reading: Reading, days: number): void {
  const { part } = reading;
  if (part.days !== null && part.days !== days) reading.fault = "contradictory";
  part.days = days;
}

const lengths: readonly (readonly [RegExp, number])[] = [
  [/^d/, 1],
  [/^w/, 7],
  [/^m/, 30],
];
const lengthOf = (word: string | undefined) => lengths.find(([is]) => is.test(word ?? ""))?.[1] ?? 1;

/** What directions consist of. The first row that fits wins, so the longer phrases are first. */
export const pieces: readonly Piece[] = [
  piece(
    `\\( ?(?:total(?: dose)?(?: of)?:? ?)?(${N}) ?(mg|mcg|g|gm|grams?)(?: total| dose| each| per dose)?(?: dose)? ?\\)`,
    stated,
  ),
  piece(`(${N}) ?(mg|mcg) ?/ ?(${N}) ?ml\\b`, (reading, [, mass, unit, volume]) => {
    const ml = Number(volume);
    dose(reading, { min: ml, max: ml, unit: "mL" });
    reading.part.stated_mg = Number(mass) * unitOf(unit ?? "").count;
  }),
  piece(
    "(?:for |x |times )?(?:the )?first (\\d+) (days?|weeks?)\\b|(?:for|x|times) ?(?:up to )?(?:a total of )?(?:the )?(?:next )?" +
      `${R} ?(?:more |additional )?(days?|d|weeks?|wks?|wk|months?)\\b`,
    (reading, [, first, first_unit, low, high, unit]) =>
      lasts(
        reading,
        first === undefined ? rangeOf(low, high).max * lengthOf(unit) : Number(first) * lengthOf(first_unit),
      ),
  ),
  piece("(?:on )?days? (\\d+) ?(?:-|to|through|thru|and) ?(?:day )?(\\d+)\\b", (reading, [, from, to]) =>
    lasts(reading, Number(to) - Number(from) + 1),
  ),
  piece("(?:for |on )?weeks? (\\d+) ?(?:-|to|through|thru) ?(\\d+)\\b", (reading, [, from, to]) =>
    lasts(reading, (Number(to) - Number(from) + 1) * 7),
  ),
  piece("(?:on )?day \\d+\\b(?! ?(?:-|to|through|thru|and) ?\\d)|on the (?:first|1st) day\\b|today\\b", (reading) =>
    lasts(reading, 1),
  ),
  piece(
    `(?:and |, )?(?:max(?:imum)?|mdd|not to exceed|nte|do not exceed|do not (?:take|use) more than|(?:take |use )?no more than|limit(?:ed)? to|up to)(?: daily)?(?: dose)?(?: of| is)?[ :=]*(${N}) ?(${UNIT})?(?: total)? ?(?:(?:per|in|in a|in any|a|each|every|/|within) ?(?:day|24 ?${HOURS})(?: period)?|daily\\b(?: dose)?)`,
    most,
  ),
  piece(`(?:max(?:imum)? daily dose|mdd)(?: of| is)?[ :=]*(${N}) ?(${UNIT})?`, most),
  piece("(?:(?:and |, )*then )?(?:stop|discontinue)\\b"),
  piece(
    "(?:and |, )?(?:then|thereafter|followed by|afterwards?)[ ,]*(?:increase(?:d)? (?:the )?(?:dose )?to|decrease(?:d)? (?:the )?(?:dose )?to|reduce(?:d)? (?:the )?(?:dose )?to|continue(?: with| at)?|take)?\\b|(?:and )?(?:may )?(?:increase|decrease|reduce) (?:the )?(?:dose )?to\\b",
    (reading) => {
      reading.next_step = true;
    },
  ),
  piece(
    "(?:at (?:the )?same time (?:every|each) (?:day|evening|morning|night)|(?:on )?(?:the )?same day (?:of the week|each week|every week))\\b",
  ),
  piece(
    `(?:may|can) (?:repeat|redose|take (?:another|a second|1 more|second)(?: ${UNIT})?)(?: dose| (?:the )?(?:dose|1 dose))?( once| 1 time| x ?1)?(?: dose)?(?: (?:in|after|every|at least) ?${R} ?(?:${HOURS}|minutes?\\b|mins?\\b))?(?: later)?( once| 1 time)?(?: (?:if|as) (?:needed|necessary|no relief|(?:headache|migraine|symptoms?|pain) (?:returns?|recurs?|persists?|continues?)|not relieved))*`,
    (reading, groups) => {
      reading.prn = true;
      reading.part.repeats = /\b(?:once|1 time|another|second|1 more|x ?1)\b/.test(groups[0] ?? "") ? "once" : "often";
    },
  ),
  // How often.
  piece(`${COUNT} ?-? ?(?:daily|${EACH} ?day|in (?:a|1) day|${EACH} ?24 ?${HOURS})\\b`, (reading, groups) =>
    rate(reading, countOf(groups)),
  ),
  piece(`${COUNT} ?-? ?(?:weekly|${EACH} ?(?:week|wk))\\b`, (reading, groups) =>
    rate(reading, per(countOf(groups), 7), true),
  ),
  piece(`${COUNT} ?-? ?(?:monthly|${EACH} ?month)\\b`, (reading, groups) => rate(reading, per(countOf(groups), 30))),
  piece(`${COUNT} every ${R} (days?|weeks?|wks?|months?)\\b`, (reading, groups) => {
    const [, , , , low, high, unit] = groups;
    const { min, max } = once(rangeOf(low, high));
    const count = countOf(groups);
    const days = lengthOf(unit);
    rate(reading, { min: (count.min * min) / days, max: (count.max * max) / days }, days === 7);
  }),
  piece(
    "(?:once )?(?:every other day|every second day|qod|q ?o ?d|on alternate days|every alternate day)\\b",
    (reading) => rate(reading, { min: 0.5, max: 0.5 }),
  ),
  piece("(?:once )?(?:every other week|every second week)\\b", (reading) => rate(reading, per(ONE, 14), true)),
  piece(`(?:every|each|q) ?${R} ?${HOURS}`, (reading, [, low, high]) =>
    rate(reading, per(once(rangeOf(low, high)), 1 / 24)),
  ),
  piece(`(?:every|each|q) ?${R} ?(days?|d|weeks?|wks?|wk|w|months?)\\b`, (reading, [, low, high, unit]) =>
    rate(reading, per(once(rangeOf(low, high)), lengthOf(unit)), /^w/.test(unit ?? "")),
  ),
  piece("(?:daily|every day|each day|a day|per day|everyday|/ ?day|qd|q ?day|q ?daily|qdaily)\\b", (reading) =>
    rate(reading, ONE),
  ),
  piece("(?:every|each) (?:hour|hr)\\b|hourly\\b", (reading) => rate(reading, { min: 24, max: 24 })),
  piece("(?:bid|b i d)\\b", (reading) => rate(reading, { min: 2, max: 2 })),
  piece("(?:tid|t i d)\\b", (reading) => rate(reading, { min: 3, max: 3 })),
  piece("(?:qid|q i d)\\b", (reading) => rate(reading, { min: 4, max: 4 })),
  piece("(?:weekly|every week|each week|a week|per week|q ?week|q ?wk|qw)\\b", (reading) =>
    rate(reading, per(ONE, 7), true),
  ),
  piece("(?:monthly|every month|each month|a month|per month|q ?month)\\b", (reading) => rate(reading, per(ONE, 30))),
  piece("(?:on |every )?m ?/? ?w ?/? ?f\\b", (reading) => {
    reading.weekly = true;
    for (const day of ["mon", "wed", "fri"]) reading.part.weekdays.add(day);
  }),
  piece("tiw\\b", (reading) => rate(reading, per({ min: 3, max: 3 }, 7), true)),
  piece("(?:on )?(?:weekdays|mon(?:day)? ?(?:-|to|through|thru) ?fri(?:day)?)\\b", (reading) => {
    reading.weekly = true;
    for (const day of ["mon", "tue", "wed", "thu", "fri"]) reading.part.weekdays.add(day);
  }),
  piece(`(?:(?:on|every|each) )?(${DAY}(?:(?: ?, ?and | ?, ?| and | ?/ ?| ?& ?)${DAY})*)\\b`, (reading, [, days]) => {
    reading.weekly = true;
    for (const day of (days ?? "").match(/mon|tue|wed|thu|fri|sat|sun/g) ?? []) reading.part.weekdays.add(day);
  }),
  // When.
  piece(
    `(?:at least )?(?:about |approximately )?${R} ?(?:minutes?|mins?|hours?|hrs?)(?= (?:before|prior to|after|apart)\\b)`,
  ),
  piece(
    "(?:before|prior to) (?:the )?(?:first (?:food|meal|bite)|eating|food)(?:(?:,| or| and)* (?:beverage|drink|medication|medicine|of the day|eating))*",
  ),
  piece(
    "(?:before|prior to) (?:sexual activity|sex|intercourse|exercise|dental (?:work|procedure|appointment)|the procedure|procedure|flight|flying|travel)\\b",
    (reading) => {
      reading.prn = true;
    },
  ),
  piece(
    "(?:with|before|after|prior to|at|during|around) (?:each |every |all )?meals?\\b|with (?:each|every) meal\\b|\\bac\\b|\\bpc\\b|with breakfast,? lunch,? and (?:dinner|supper)",
    (reading) => {
      reading.part.meals = true;
    },
  ),
  piece(
    `(?:with |before |after |prior to |during |at )?(?:the |your )?(?:first meal|largest meal|main meal|heaviest meal|evening meal|morning meal)(?: of the day)?\\b`,
    (reading, [all]) => {
      reading.part.times.add((all ?? "").includes("morning") ? "morning" : "evening");
    },
  ),
  piece(
    `(?:q ?am|q ?pm|qhs|q ?hs|q ?bedtime|nightly|(?:with |before |after |prior to |at |daily at )?${PART_OF_DAY})\\b`,
    (reading, [all, morning, noon, afternoon, evening]) => {
      const { times } = reading.part;
      if (morning !== undefined || /^q ?am$/.test(all ?? "")) times.add("morning");
      else if (noon !== undefined) times.add("noon");
      else if (afternoon !== undefined) times.add("afternoon");
      else if (evening !== undefined || /^q ?pm$/.test(all ?? "")) times.add("evening");
      else times.add("night");
    },
  ),
  piece("once (?=(?:nightly|at|every|each|in|q|before|with|after)\\b)"),
  piece("(?:once|1 time|x ?1|as a single dose|single dose)(?: only)?\\b", (reading) => {
    rate(reading, ONE);
    lasts(reading, 1);
  }),
  // As needed, and what for.
  piece(
    `(?:only )?(?:as needed|prn|if needed|when needed|as necessary|if necessary|as required)\\b(?: ${WORD}(?:,? ${WORD}){0,7})?`,
    needed,
  ),
  piece(
    `(?:at|with) (?:the )?(?:first sign|onset|start)(?: or symptom)?(?: of)?(?: an?)? (?:migraine|headache|attack|outbreak|cold sore|symptoms?|flare)(?: headaches?)?\\b`,
    needed,
  ),
  piece(
    `(?:for|to (?:help|treat|prevent|reduce|lower|control|relieve|help with)) (?:an? |the |your )?${WORD}(?:,? ${WORD}){0,7}`,
  ),
  piece("up to\\b", needed),
  // How.
  piece(
    "(?:by mouth|orally|oral|po|per os|subcutaneous(?:ly)?|under the skin|sub-?q|subcut|sq|sc|intramuscular(?:ly)?|into (?:the|a) muscle|im|sublingual(?:ly)?|under the tongue|sl|buccally|topical(?:ly)?|rectally|per rectum|pr|vaginally|pv|transdermally|nasally|intranasally|into the lungs|by inhalation|via (?:a )?nebulizer|by nebulizer|nebulized|inhaled|intravaginally)\\b",
  ),
  piece("(?:in|into|to) (?:each|both)(?: affected)? (?:eyes?|ears?|nostrils?|nares)\\b", (reading) => {
    reading.part.sides = 2;
  }),
  piece(
    "(?:in|into|to) (?:the )?(?:left|right|affected|1) (?:eye|ear|nostril)s?\\b|(?:in|into|inside) (?:the )?(?:vagina|rectum|nose|mouth|cheek)\\b",
  ),
  piece(
    `(?:to|on|onto|over|in|into) (?:the |your )?(?:entire |clean,? |dry,? |clean dry |clean and dry )*(?:${PLACES})(?:(?:,| or| and)+ (?:the )?(?:${PLACES}))*\\b`,
    (reading) => {
      reading.part.applied = true;
    },
  ),
  piece(
    "(?:apply|rub|massage|wash|spread|shampoo)(?: in| with)?\\b(?: (?:an? )?(?:thin (?:layer|film)|small amount|pea[- ]sized? amount|liberally|sparingly|generously)(?: of)?(?: (?:cream|ointment|gel|lotion|foam|medication|solution))?)?",
    (reading) => {
      reading.part.applied = true;
    },
  ),
  piece(
    "(?:an? )?(?:thin (?:layer|film)|small amount|pea[- ]sized? amount|liberally|sparingly)(?: of)?(?: (?:cream|ointment|gel|lotion|foam|medication|solution))?\\b",
    (reading) => {
      reading.part.applied = true;
    },
  ),
  // How much.
  piece(
    `${R} (?:x )?(${N}) ?(mg|mcg|g) (tablets?|tabs?|capsules?|caps?)\\b`,
    (reading, [, low, high, amount, mass, form]) => {
      const { min, max } = rangeOf(low, high);
      dose(reading, { min, max, unit: unitOf(form ?? "").unit });
      if (min === max) reading.part.stated_mg = max * Number(amount) * unitOf(mass ?? "").count;
    },
  ),
  piece(`${R} ?(?:x )?(?:[a-z]+ )??(${UNIT})`, (reading, [all, low, high, word]) => {
    const between = (all ?? "").match(/[a-z]+(?= [a-z-]+$)/)?.[0];
    if (between !== undefined && !KINDS.test(between) && !/^(?:to|or|x)$/.test(between)) {
      reading.fault = "not_understood";
      return;
    }
    const { unit, count } = unitOf(word ?? "");
    const { min, max } = rangeOf(low, high);
    dose(reading, { min: min * count, max: max * count, unit });
  }),
  piece(`an? (${UNIT})`, (reading, [, word]) => {
    const { unit, count } = unitOf(word ?? "");
    dose(reading, { min: count, max: count, unit });
  }),
  piece(
    `${R}(?= (?:by mouth|po|orally|daily|once|twice|thrice|bid|tid|qid|q ?\\d|qd|qhs|q ?am|q ?pm|qod|at|every|in the|each|nightly|weekly|a day|per day|as needed|prn|\\d+ times|with|for|on))`,
    (reading, [, low, high]) => dose(reading, { ...rangeOf(low, high), unit: "each" }),
  ),
  // Words without arithmetic.
  piece(
    "(?:may |can |you may |please |to )?(?:take|takes|give|use|inject|inhale|instill|insert|place|put|administer|chew(?: and swallow)?|dissolve|swallow|drink|spray|wear|start|begin|start with|consume|self-inject)\\b",
  ),
  piece(
    "(?:with|without|with or without) (?:an? )?(?:food|meal|snack|milk|full glass of water|glass of water|plenty of water|water|plenty of fluids?|food or milk|fatty meal|high-fat meal|low-fat meal)\\b(?:(?:,| or| and)+ (?:milk|water|food|snack)\\b)*",
  ),
  piece("on an? empty stomach\\b|(?:or )?after (?:eating|food)\\b|apart\\b"),
  piece(
    "(?:as directed|as instructed|per instructions|as prescribed|as tolerated)(?: by (?:your |the )?(?:doctor|physician|prescriber|provider|md|pharmacist))?\\b",
  ),
  piece(
    "(?:do not|dont) (?:crush|chew|split|break|cut|lie down|stop|skip doses?)(?:(?:,| or| and)+ (?:crush|chew|split|break|cut))*(?: (?:tablets?|capsules?|it|suddenly|abruptly|for \\d+ minutes(?: after)?))?\\b|swallow(?:ed)? whole\\b|whole\\b",
  ),
  piece(
    "until (?:all )?(?:gone|finished|complete[d]?|all taken|taken|finish|empty)\\b|finish all (?:medication|medicine)?",
  ),
  piece(
    "(?:rotate|alternate|change) (?:injection )?sites?\\b|shake (?:well|before use|well before use)\\b|rinse mouth after (?:use|each use)\\b",
  ),
  piece("(?:may (?:cause|make you) (?:drowsy|drowsiness|sleepy)|avoid alcohol|avoid sunlight)\\b"),
  piece(
    "(?:of )?(?:the )?(?:oral |topical )?(?:suspension|solution|syrup|liquid|cream|ointment|gel|lotion|foam|shampoo|insulin|medication|medicine)\\b",
  ),
  piece("(?:and|plus|&|sig|directions|of|dose|total)\\b[:]?|&"),
];

/** Words between the number and the form: "2 extended release tablets" needs none of them for the arithmetic. */
const KINDS = /^(?:chewable|oral|whole|full|metered|nasal|eye|ear|transdermal|vaginal|rectal|small)$/;

function stated(reading: Reading, [, amount, unit]: Groups): void {
  reading.part.stated_mg = Number(amount) * unitOf(unit ?? "").count;
}

function most(reading: Reading, [, amount, word]: Groups): void {
  const { unit, count } = unitOf(word ?? "");
  reading.most = { amount: Number(amount) * count, unit };
}

function needed(reading: Reading): void {
  reading.prn = true;
}
