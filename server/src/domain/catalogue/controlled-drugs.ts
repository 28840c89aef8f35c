import type { DrugSchedule } from "@pestle/contract";

/**
 * Ingredients that are controlled in every state, by schedule (21 CFR 1308). A prescription that names one counts as
 * controlled even if neither the message nor the formulary says so. The operator's formulary can be stricter.
 */
export const controlledIngredients: Record<Exclude<DrugSchedule, "0">, readonly string[]> = {
  "2": [
    "amphetamine",
    "dexmethylphenidate",
    "dextroamphetamine",
    "fentanyl",
    "hydrocodone",
    "hydromorphone",
    "lisdexamfetamine",
    "methadone",
    "methamphetamine",
    "methylphenidate",
    "morphine",
    "oxycodone",
    "oxymorphone",
    "tapentadol",
  ],
  "3": ["benzphetamine", "buprenorphine", "ketamine", "oxandrolone", "perampanel", "phendimetrazine", "testosterone"],
  "4": [
    "alprazolam",
    "armodafinil",
    "carisoprodol",
    "clobazam",
    "clonazepam",
    "diazepam",
    "diethylpropion",
    "eszopiclone",
    "lemborexant",
    "lorazepam",
    "modafinil",
    "phenobarbital",
    "phentermine",
    "suvorexant",
    "temazepam",
    "tramadol",
    "zaleplon",
    "zolpidem",
  ],
  "5": ["brivaracetam", "cenobamate", "diphenoxylate", "lacosamide", "lasmiditan", "pregabalin"],
};

const SCHEDULE_OF = new Map(
  Object.entries(controlledIngredients).flatMap(([schedule, names]) =>
    names.map((name) => [name, schedule as DrugSchedule] as const),
  ),
);

/** Returns the strictest schedule of the controlled ingredients in a drug's name. */
export function scheduleByName(drug_name: string): DrugSchedule {
  const found = drug_name
    .toLowerCase()
    .split(/[^a-z]+/)
    .flatMap((word) => SCHEDULE_OF.get(word) ?? []);
  return strictest(found);
}

/** Schedule 2 is the strictest. 0 means not controlled. */
export function strictest(schedules: readonly DrugSchedule[]): DrugSchedule {
  return (["2", "3", "4", "5"] as const).find((schedule) => schedules.includes(schedule)) ?? "0";
}
