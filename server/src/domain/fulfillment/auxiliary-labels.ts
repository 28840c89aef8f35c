import type { DrugSchedule } from "@pestle/contract";
import type { DispensedItem } from "./documents.ts";

/** 21 CFR 290.5 requires this wording on the label of every drug in schedules II to IV. */
const FEDERAL_CAUTION =
  "Caution: Federal law prohibits the transfer of this drug to any person other than the patient for whom it was prescribed.";

const CAUTIONED: ReadonlySet<DrugSchedule> = new Set(["2", "3", "4"]);

type Item = Pick<DispensedItem, "ingredients" | "drug_name" | "drug_schedule" | "cold_chain">;

/** The customary short warnings, most important first, because a small label shows only the first few. */
export const auxiliaryLabels: readonly {
  text: string;
  ingredients?: readonly string[];
  /** For warnings that depend on the form, which only the name contains. */
  named?: RegExp;
  applies?: (item: Item) => boolean;
}[] = [
  {
    text: "Opioid: risk of addiction and overdose. Do not take with alcohol or sedatives.",
    ingredients: [
      "alfentanil",
      "buprenorphine",
      "butorphanol",
      "codeine",
      "dihydrocodeine",
      "fentanyl",
      "hydrocodone",
      "hydromorphone",
      "levorphanol",
      "meperidine",
      "methadone",
      "morphine",
      "oliceridine",
      "opium",
      "oxycodone",
      "oxymorphone",
      "pentazocine",
      "remifentanil",
      "sufentanil",
      "tapentadol",
      "tramadol",
    ],
  },
  {
    text: "Do not take with nitrates such as nitroglycerin.",
    ingredients: ["avanafil", "sildenafil", "tadalafil", "vardenafil"],
  },
  {
    text: "Do not use if you are pregnant or may become pregnant.",
    ingredients: [
      "adapalene",
      "benazepril",
      "enalapril",
      "finasteride",
      "fluoxymesterone",
      "isotretinoin",
      "lisinopril",
      "losartan",
      "methotrexate",
      "methyltestosterone",
      "misoprostol",
      "nandrolone",
      "oxandrolone",
      "oxymetholone",
      "phentermine",
      "testosterone",
      "topiramate",
      "tretinoin",
      "valsartan",
      "warfarin",
    ],
  },
  {
    text: "Avoid aged cheese, cured meat and other food rich in tyramine. Ask before taking any other medicine.",
    ingredients: ["isocarboxazid", "phenelzine", "selegiline", "tranylcypromine"],
  },
  {
    text: "May cause drowsiness. Alcohol adds to it. Use care when driving or using machines.",
    ingredients: [
      "alprazolam",
      "amobarbital",
      "baclofen",
      "brexanolone",
      "brivaracetam",
      "buspirone",
      "butabarbital",
      "butalbital",
      "carisoprodol",
      "cenobamate",
      "chlordiazepoxide",
      "clobazam",
      "clonazepam",
      "clonidine",
      "clorazepate",
      "cyclobenzaprine",
      "daridorexant",
      "diazepam",
      "difenoxin",
      "diphenoxylate",
      "dronabinol",
      "eluxadoline",
      "esketamine",
      "estazolam",
      "eszopiclone",
      "flurazepam",
      "gabapentin",
      "ganaxolone",
      "hydroxyzine",
      "ketamine",
      "lacosamide",
      "lasmiditan",
      "lemborexant",
      "lorazepam",
      "meprobamate",
      "methohexital",
      "midazolam",
      "mirtazapine",
      "nabilone",
      "oxazepam",
      "oxybate",
      "oxybates",
      "pentobarbital",
      "perampanel",
      "phenobarbital",
      "pregabalin",
      "promethazine",
      "quazepam",
      "quetiapine",
      "remimazolam",
      "secobarbital",
      "suvorexant",
      "temazepam",
      "tizanidine",
      "trazodone",
      "triazolam",
      "zaleplon",
      "zolpidem",
      "zuranolone",
    ],
  },
  {
    text: "May be habit forming. Take only as directed, and keep it where no one else can take it.",
    ingredients: [
      "amphetamine",
      "armodafinil",
      "benzphetamine",
      "cocaine",
      "dexmethylphenidate",
      "dextroamphetamine",
      "diethylpropion",
      "lisdexamfetamine",
      "methamphetamine",
      "methylphenidate",
      "modafinil",
      "phendimetrazine",
      "phentermine",
      "serdexmethylphenidate",
      "solriamfetol",
    ],
  },
  { text: "Keep in the refrigerator. Do not freeze.", applies: ({ cold_chain }) => cold_chain },
  {
    text: "Swallow whole. Do not crush, chew or split.",
    named: /\b(extended|delayed|sustained|controlled)[- ]release\b|\b(ER|XR|SR|DR|CR|XL|LA)\b/,
  },
  {
    text: "For external use only.",
    named: /\b(cream|ointment|gel|lotion|shampoo|topical|foam)\b/i,
  },
  {
    text: "Finish all of this medicine, unless your prescriber tells you otherwise.",
    ingredients: [
      "amoxicillin",
      "azithromycin",
      "cefalexin",
      "cephalexin",
      "ciprofloxacin",
      "clarithromycin",
      "clindamycin",
      "doxycycline",
      "fluconazole",
      "levofloxacin",
      "metronidazole",
      "nitrofurantoin",
      "penicillin",
      "sulfamethoxazole",
      "valacyclovir",
    ],
  },
  {
    text: "Do not drink alcohol while you take this and for three days after.",
    ingredients: ["disulfiram", "metronidazole", "tinidazole"],
  },
  {
    text: "Do not stop taking this suddenly without asking your prescriber.",
    ingredients: [
      "atenolol",
      "bupropion",
      "citalopram",
      "clonidine",
      "desvenlafaxine",
      "duloxetine",
      "escitalopram",
      "fluoxetine",
      "gabapentin",
      "lamotrigine",
      "metoprolol",
      "paroxetine",
      "pregabalin",
      "propranolol",
      "sertraline",
      "topiramate",
      "venlafaxine",
    ],
  },
  {
    text: "Take with food.",
    ingredients: ["carvedilol", "diclofenac", "ibuprofen", "metformin", "naproxen", "nitrofurantoin", "prednisone"],
  },
  {
    text: "Take on an empty stomach, with a full glass of water.",
    ingredients: ["alendronate", "levothyroxine", "risedronate"],
  },
  {
    text: "Do not take with milk, antacids or iron; leave two hours between.",
    ingredients: ["ciprofloxacin", "doxycycline", "levofloxacin", "levothyroxine", "minocycline", "tetracycline"],
  },
  {
    text: "Avoid strong sunlight and tanning lamps; use sunscreen.",
    ingredients: [
      "adapalene",
      "amiodarone",
      "ciprofloxacin",
      "doxycycline",
      "hydrochlorothiazide",
      "isotretinoin",
      "levofloxacin",
      "minocycline",
      "sulfamethoxazole",
      "tetracycline",
      "tretinoin",
    ],
  },
  {
    text: "Avoid grapefruit and its juice.",
    ingredients: ["atorvastatin", "cyclosporine", "felodipine", "lovastatin", "nifedipine", "simvastatin"],
  },
  {
    text: "May make you dizzy. Get up slowly.",
    ingredients: [
      "amlodipine",
      "clonidine",
      "doxazosin",
      "lisinopril",
      "losartan",
      "minoxidil",
      "prazosin",
      "spironolactone",
      "tamsulosin",
    ],
  },
  {
    text: "Tell your prescriber at once about muscle pain or weakness.",
    ingredients: ["atorvastatin", "lovastatin", "pravastatin", "rosuvastatin", "simvastatin"],
  },
  {
    text: "Tell your prescriber at once about severe stomach pain that does not go away.",
    ingredients: ["dulaglutide", "liraglutide", "semaglutide", "tirzepatide"],
  },
];

/**
 * Returns the warnings of a drug's label, most important first. The federal caution is separate because it has its own
 * place. Matches the name as well as the ingredients: an extra warning does less harm than a missing one.
 */
export function warningsFor(item: Item): string[] {
  const words = new Set([...item.ingredients, item.drug_name].flatMap((text) => text.toLowerCase().split(/[^a-z]+/)));
  return auxiliaryLabels
    .filter(
      ({ ingredients, named, applies }) =>
        ingredients?.some((name) => words.has(name)) || named?.test(item.drug_name) || applies?.(item),
    )
    .map(({ text }) => text);
}

export const federalCaution = ({ drug_schedule }: Pick<Item, "drug_schedule">): string | null =>
  CAUTIONED.has(drug_schedule) ? FEDERAL_CAUTION : null;
