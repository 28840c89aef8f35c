import type { DrugSchedule } from "@pestle/contract";

type Schedule = Exclude<DrugSchedule, "0">;

/**
 * Ingredients that federal law controls and that US labels name, by schedule: 21 CFR 1308.12 (II), 1308.13 (III), 1308.14
 * (IV) and 1308.15 (V). A prescription that names one counts as controlled even if neither the message nor the formulary
 * says so. The operator's formulary can be stricter.
 */
export const controlledIngredients: Record<Schedule, readonly string[]> = {
  "2": [
    "alfentanil",
    "amobarbital",
    "amphetamine",
    "cocaine",
    "codeine",
    "dexmethylphenidate",
    "dextroamphetamine",
    "dihydrocodeine",
    "fentanyl",
    "hydrocodone",
    "hydromorphone",
    "levorphanol",
    "lisdexamfetamine",
    "meperidine",
    "methadone",
    "methamphetamine",
    "methylphenidate",
    "morphine",
    "nabilone",
    "oliceridine",
    "opium",
    "oxycodone",
    "oxymorphone",
    "pentobarbital",
    "remifentanil",
    "secobarbital",
    "sufentanil",
    "tapentadol",
  ],
  "3": [
    "benzphetamine",
    "buprenorphine",
    "butabarbital",
    "butalbital",
    // The capsules. The oral solution is in schedule II (21 CFR 1308.12(f)): its row in the formulary says so.
    "dronabinol",
    "esketamine",
    "fluoxymesterone",
    "ketamine",
    "methyltestosterone",
    "nandrolone",
    "oxandrolone",
    // Gamma hydroxybutyric acid in approved products (21 CFR 1308.13(c)).
    "oxybate",
    "oxybates",
    "oxymetholone",
    "perampanel",
    "phendimetrazine",
    "testosterone",
  ],
  "4": [
    "alprazolam",
    "armodafinil",
    "brexanolone",
    "butorphanol",
    "carisoprodol",
    "chlordiazepoxide",
    "clobazam",
    "clonazepam",
    "clorazepate",
    "daridorexant",
    "diazepam",
    "diethylpropion",
    "difenoxin",
    "eluxadoline",
    "estazolam",
    "eszopiclone",
    "flurazepam",
    "lemborexant",
    "lorazepam",
    "meprobamate",
    "methohexital",
    "midazolam",
    "modafinil",
    "oxazepam",
    "pentazocine",
    "phenobarbital",
    "phentermine",
    "quazepam",
    "remimazolam",
    "serdexmethylphenidate",
    "solriamfetol",
    "suvorexant",
    "temazepam",
    "tramadol",
    "triazolam",
    "zaleplon",
    "zolpidem",
    "zuranolone",
  ],
  "5": ["brivaracetam", "cenobamate", "diphenoxylate", "ganaxolone", "lacosamide", "lasmiditan", "pregabalin"],
};

/**
 * Combinations whose schedule differs from that of the ingredient alone. `beside`: one of these is in the same product.
 * "0" is a product that the DEA exempts.
 */
const combinations: readonly { ingredient: string; beside: readonly string[]; schedule: DrugSchedule }[] = [
  // 21 CFR 1308.15(c): at most 200 mg of codeine per 100 mL, with a medicinal ingredient other than a narcotic.
  {
    ingredient: "codeine",
    beside: [
      "brompheniramine",
      "chlorpheniramine",
      "guaifenesin",
      "phenylephrine",
      "promethazine",
      "pseudoephedrine",
      "triprolidine",
    ],
    schedule: "5",
  },
  // 21 CFR 1308.13(e)(1): at most 90 mg of codeine per unit, with an ingredient other than a narcotic.
  { ingredient: "codeine", beside: ["acetaminophen", "aspirin", "butalbital", "carisoprodol"], schedule: "3" },
  { ingredient: "dihydrocodeine", beside: ["acetaminophen", "aspirin"], schedule: "3" },
  // Paregoric, 21 CFR 1308.13(e)(1).
  { ingredient: "opium", beside: ["camphor", "camphorated"], schedule: "3" },
  // Exempt prescription products, 21 CFR 1308.32, and exempt anabolic steroid products, 21 CFR 1308.34.
  { ingredient: "butalbital", beside: ["acetaminophen"], schedule: "0" },
  { ingredient: "chlordiazepoxide", beside: ["clidinium"], schedule: "0" },
  { ingredient: "phenobarbital", beside: ["hyoscyamine"], schedule: "0" },
  { ingredient: "methyltestosterone", beside: ["estrogens"], schedule: "0" },
];

const SCHEDULE_OF = new Map(
  Object.entries(controlledIngredients).flatMap(([schedule, names]) =>
    names.map((name) => [name, schedule as DrugSchedule] as const),
  ),
);

/** Returns the strictest schedule of the controlled ingredients in a drug's name. */
export function scheduleByName(drug_name: string): DrugSchedule {
  const words = new Set(drug_name.toLowerCase().split(/[^a-z]+/));
  const found = [...words].flatMap((word) => {
    const alone = SCHEDULE_OF.get(word);
    if (alone === undefined) return [];
    const combined = combinations.find((row) => row.ingredient === word && row.beside.some((one) => words.has(one)));
    return combined?.schedule ?? alone;
  });
  return strictest(found);
}

/** Schedule 2 is the strictest. 0 means not controlled. */
export function strictest(schedules: readonly DrugSchedule[]): DrugSchedule {
  return (["2", "3", "4", "5"] as const).find((schedule) => schedules.includes(schedule)) ?? "0";
}
