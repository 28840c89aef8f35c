import type { DispensedItem } from "./documents.ts";

/**
 * What a leaflet says about a drug, in our own words. 21 CFR part 208 names the drugs that need a guide. The texts are a
 * draft. We have not compared each one with the prescribing information. A pharmacist must review them.
 */

type Item = Pick<DispensedItem, "ingredients" | "drug_name">;
type Row = { ingredients: readonly string[]; named?: RegExp; text: string };

const OPIOIDS = [
  ...["buprenorphine", "codeine", "fentanyl", "hydrocodone", "hydromorphone", "methadone", "morphine"],
  ...["oxycodone", "oxymorphone", "tapentadol", "tramadol"],
];
const BENZODIAZEPINES = ["alprazolam", "clonazepam", "diazepam", "lorazepam", "temazepam", "triazolam"];
const STIMULANTS = [
  ...["amphetamine", "dextroamphetamine", "dexmethylphenidate", "lisdexamfetamine", "methylphenidate"],
];
const ANTIDEPRESSANTS = [
  ...["bupropion", "citalopram", "desvenlafaxine", "duloxetine", "escitalopram", "fluoxetine", "mirtazapine"],
  ...["paroxetine", "phenelzine", "sertraline", "trazodone", "venlafaxine"],
];
const FLUOROQUINOLONES = ["ciprofloxacin", "levofloxacin", "moxifloxacin"];
const NSAIDS = ["celecoxib", "diclofenac", "ibuprofen", "meloxicam", "naproxen"];
const SLEEP = ["eszopiclone", "zaleplon", "zolpidem"];
const GLP_1 = ["dulaglutide", "liraglutide", "semaglutide", "tirzepatide"];

/** FDA's strongest warnings. */
const boxedWarnings: readonly Row[] = [
  {
    ingredients: OPIOIDS,
    text: "This opioid can cause addiction, overdose and death. It can slow or stop your breathing, above all with alcohol, sedatives or a higher dose. Keep it locked away: one dose can kill a child.",
  },
  {
    ingredients: BENZODIAZEPINES,
    text: "Taken with opioids it can stop your breathing. It can lead to misuse and dependence, and stopping suddenly can cause seizures.",
  },
  {
    ingredients: STIMULANTS,
    text: "It has a high risk of misuse and addiction, which can lead to overdose and death. Never share it, and keep it locked away.",
  },
  {
    ingredients: ANTIDEPRESSANTS,
    text: "Antidepressants can increase thoughts of suicide in people under 25, above all in the first weeks and when the dose changes. Call your prescriber at once about new or sudden changes of mood or behavior.",
  },
  {
    ingredients: FLUOROQUINOLONES,
    text: "It can cause torn or swollen tendons, nerve damage and changes of mood that may not go away. Stop and call your prescriber at the first sign. Do not take it if you have myasthenia gravis.",
  },
  {
    ingredients: NSAIDS,
    text: "It can cause a heart attack, a stroke, or bleeding of the stomach or bowel, at any time and without warning.",
  },
  {
    ingredients: SLEEP,
    text: "Some people walk, drive or do other things while not fully awake, and have been hurt or died. If this happens once, stop it and call your prescriber.",
  },
  {
    ingredients: GLP_1,
    text: "Drugs of this kind caused thyroid tumors in animals. Do not use it if you or a relative had medullary thyroid cancer, or if you have the syndrome MEN 2. Call your prescriber about a lump in the neck, hoarseness or trouble swallowing.",
  },
  {
    ingredients: ["isotretinoin"],
    text: "It causes severe birth defects. No one who is or may become pregnant may take it.",
  },
  {
    ingredients: ["methotrexate"],
    text: "Taking it daily in place of weekly has caused deaths. It can harm an unborn child.",
  },
  {
    ingredients: ["warfarin"],
    text: "It can cause major or fatal bleeding. Have your blood checked as often as your prescriber says.",
  },
  {
    ingredients: ["minoxidil"],
    named: /\btablet/i,
    text: "It can cause fluid around the heart or worsen chest pain. Call your prescriber about swelling, fast weight gain or trouble breathing.",
  },
  {
    ingredients: ["benazepril", "enalapril", "lisinopril", "losartan", "valsartan"],
    text: "It can injure or kill an unborn child. Stop it and call your prescriber as soon as you know that you are pregnant.",
  },
  {
    ingredients: ["levothyroxine"],
    text: "It is not for weight loss. Larger doses can cause serious or life-threatening effects.",
  },
];

/** 21 CFR part 208: a Medication Guide must go with each fill. */
const GUIDED = new Set([
  ...[...OPIOIDS, ...BENZODIAZEPINES, ...STIMULANTS, ...ANTIDEPRESSANTS, ...FLUOROQUINOLONES, ...NSAIDS],
  ...[...SLEEP, ...GLP_1, "isotretinoin", "warfarin", "gabapentin", "lamotrigine", "topiramate", "montelukast"],
]);

/** Drugs whose missed dose needs other advice than the general one. The first row counts. */
const missedDoses: readonly Row[] = [
  {
    ingredients: ["semaglutide"],
    named: /\b(pen|injection|ozempic|wegovy|vial)\b/i,
    text: "Ozempic and its like: inject it within 5 days of the missed day, or skip it. For Wegovy, skip it if the next dose is less than 2 days away. Then go on with your usual day.",
  },
  {
    ingredients: ["tirzepatide"],
    text: "Inject it within 4 days of the missed day, or skip it. Leave at least 3 days between two doses.",
  },
  { ingredients: ["dulaglutide"], text: "Inject it if the next dose is at least 3 days away, or skip it." },
  {
    ingredients: ["methotrexate"],
    text: "Call your prescriber or pharmacist before you take it. Never take two doses in one week.",
  },
  {
    ingredients: ["alendronate", "risedronate"],
    text: "Take one tablet on the morning after you remember, then go back to your usual day.",
  },
  {
    ingredients: ["warfarin"],
    text: "Take it on the same day as soon as you remember. Do not take it on the next day as well. Tell your prescriber.",
  },
  {
    ingredients: SLEEP,
    text: "Take it only at bedtime, and only if you can stay in bed for 7 to 8 hours. If you missed it, skip it until the next night.",
  },
  {
    ingredients: ["avanafil", "sildenafil", "tadalafil", "vardenafil"],
    text: "If you take it only when needed, there is no dose to miss. Never take it more than once a day.",
  },
  {
    ingredients: STIMULANTS,
    text: "Take it if it is still morning. Later in the day skip it, because it can keep you awake.",
  },
  {
    ingredients: ["bupropion"],
    text: "Skip it and take the next dose at the usual time. Two doses close together can cause a seizure.",
  },
];

const GENERAL_MISSED_DOSE =
  "Take it as soon as you remember. If it is almost time for the next dose, skip the missed dose. Never take two doses at once to make up for it.";

const MEDICATION_GUIDE =
  "The law requires a Medication Guide with this drug. If you did not get one, ask us for it before you take the drug.";

export const boxedWarningsFor = (item: Item): string[] =>
  boxedWarnings.filter((row) => isFor(row, item)).map(({ text }) => `FDA boxed warning: ${text}`);

export const medicationGuideFor = (item: Item): string[] =>
  [...wordsOf(item)].some((word) => GUIDED.has(word)) ? [MEDICATION_GUIDE] : [];

export const missedDoseFor = (item: Item): string =>
  missedDoses.find((row) => isFor(row, item))?.text ?? GENERAL_MISSED_DOSE;

const isFor = ({ ingredients, named }: Row, item: Item) => {
  const words = wordsOf(item);
  return ingredients.some((name) => words.has(name)) && (named === undefined || named.test(item.drug_name));
};

const wordsOf = ({ ingredients, drug_name }: Item) =>
  new Set([...ingredients, drug_name].flatMap((text) => text.toLowerCase().split(/[^a-z]+/)));
