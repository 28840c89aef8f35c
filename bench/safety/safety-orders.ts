import { seededRandom } from "../../chaos/random.ts";
import type { SafetyFacts } from "../../server/src/domain/safety/safety-facts.ts";

/** What a mail-order pharmacy dispenses most, with a usual strength, a controlled drug among them. */
const drugs = [
  ["atorvastatin", "20 mg tablet"],
  ["levothyroxine", "50 mcg tablet"],
  ["lisinopril", "10 mg tablet"],
  ["metformin", "500 mg tablet"],
  ["amlodipine", "5 mg tablet"],
  ["metoprolol", "50 mg tablet"],
  ["omeprazole", "20 mg capsule"],
  ["losartan", "50 mg tablet"],
  ["gabapentin", "300 mg capsule"],
  ["sertraline", "50 mg tablet"],
  ["escitalopram", "10 mg tablet"],
  ["bupropion", "150 mg tablet"],
  ["fluoxetine", "20 mg capsule"],
  ["trazodone", "50 mg tablet"],
  ["amoxicillin", "500 mg capsule"],
  ["azithromycin", "250 mg tablet"],
  ["ciprofloxacin", "500 mg tablet"],
  ["fluconazole", "150 mg tablet"],
  ["warfarin", "5 mg tablet"],
  ["sildenafil", "50 mg tablet"],
  ["tadalafil", "5 mg tablet"],
  ["finasteride", "1 mg tablet"],
  ["spironolactone", "25 mg tablet"],
  ["prednisone", "10 mg tablet"],
  ["tramadol", "50 mg tablet"],
  ["zolpidem", "5 mg tablet"],
  ["methotrexate", "2.5 mg tablet"],
  ["lamotrigine", "100 mg tablet"],
  ["ondansetron", "4 mg tablet"],
  ["montelukast", "10 mg tablet"],
] as const;

/** As patients write them: brands, abbreviations, misspellings, supplements and texts that mean nothing. */
const listed = [
  "Lipitor 20mg",
  "synthroid 50 mcg every morning",
  "Zestril",
  "metformin er 500",
  "norvasc 5 mg",
  "Toprol XL 50",
  "prilosec otc",
  "HCTZ 25",
  "ASA 81 mg",
  "ibuprofen 400 mg as needed",
  "Tylenol PM",
  "St. John's wort",
  "fish oil",
  "vitamin D3 2000 IU",
  "potassium chloride 20 mEq",
  "lexapro 10 mg",
  "Wellbutrin XL",
  "NTG prn",
  "ISMN 30 mg",
  "Eliquis 5 mg twice a day",
  "clopidogrel 75 mg",
  "amiodarone 200 mg",
  "digoxin 0.125 mg",
  "lithium carbonate 300 mg",
  "oxycodone/apap 5-325",
  "alprazolam 0.5 mg",
  "birth control pill",
  "levothyroxin 75",
  "multivitamin",
  "insulin glargine 20 units at bedtime",
  "my blue water pill",
] as const;
const allergies = ["penicillin", "PCN - hives", "sulfa", "NKDA", "codeine", "latex", "peanuts", "aspirin", "shellfish"];
const conditions = [
  "hypertension",
  "type 2 diabetes",
  "asthma",
  "pregnant",
  "CKD stage 3",
  "depression",
  "glaucoma",
  "history of seizures",
  "heart failure",
  "none",
];
const sigs = [
  "Take 1 tablet by mouth once daily",
  "Take 1 tablet by mouth twice daily",
  "Take 1 capsule by mouth every 8 hours as needed for pain",
  "Take 1 to 2 tablets by mouth at bedtime",
  "Take 1 tablet by mouth once weekly",
  "Take 2 tablets on day 1, then 1 tablet daily on days 2 through 5",
  "Use as directed",
];

const NOW = new Date("2026-11-10T15:00:00Z");
const DAY_MS = 24 * 3600 * 1000;

/**
 * Orders as a pharmacy gets them: one to three items, up to 15 listed medications, allergies, conditions, earlier fills.
 * The service remembers texts that it has read. With `new_texts`, half of the medications are texts that it never saw.
 */
export function safetyOrders(count: number, seed: number, new_texts = false): SafetyFacts[] {
  const random = seededRandom(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const some = <Value>(most: number, values: readonly Value[]) =>
    Array.from({ length: upTo(most) }, () => pick(values));
  const item = (item_id: number): SafetyFacts["items"][number] => {
    const [ingredient, strength] = pick(drugs);
    const units = pick([30, 60, 90]);
    return {
      item_id,
      ingredients: [ingredient],
      drug: `${ingredient} ${strength}`,
      is_drug: true,
      gcn: `g${ingredient}`,
      sig_text: pick(sigs),
      units,
      days_supply: pick([units, units / 2]),
      drug_schedule: ingredient === "zolpidem" || ingredient === "tramadol" ? "4" : "0",
      prescription_id: item_id,
    };
  };
  return Array.from({ length: count }, (_, number) => ({
    items: Array.from({ length: 1 + upTo(2) }, (_, place) => item(place + 1)),
    fills: Array.from({ length: upTo(4) }, (_, place) => {
      const [ingredient] = pick(drugs);
      const shipped_at = random() < 0.2 ? null : new Date(NOW.getTime() - upTo(200) * DAY_MS);
      const days_supply = pick([30, 90]);
      return {
        order_number: `${number}-${place}`,
        prescription_id: null,
        ingredients: [ingredient],
        gcn: `g${ingredient}`,
        shipped_at,
        days_supply,
      };
    }),
    allergies: some(3, allergies),
    medications: some(15, listed).map((text) =>
      random() < 0.5 ? text : `${text}, since ${new_texts ? number : 1990 + (number % 36)}`,
    ),
    conditions: some(3, conditions),
    patient: { dob: `${1940 + upTo(70)}-06-15`, gender: pick(["M", "F"] as const), weight_kg: null },
    now: NOW,
  }));
}
