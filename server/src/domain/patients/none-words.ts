import type { SafetyKind } from "@pestle/contract";
import { medicalWords } from "../values/text.ts";

/** Whether an entry states that the patient has none, as people write it: "NKDA", "No known allergies", "None". */
export const saysNone = (kind: SafetyKind, text: string): boolean => {
  const words = medicalWords(text);
  return anyKind.has(words) || noneWords[kind].has(words);
};

/** Not "unknown", "not asked" or "unable to obtain": then no one knows. Not "no known food allergies": drugs remain. */
const anyKind: ReadonlySet<string> = new Set([
  "none",
  "none known",
  "none reported",
  "none stated",
  "no",
  "no known",
  "nil",
  "nil known",
  "n a",
  "na",
  "denies",
  "denies any",
]);

const noneWords: Readonly<Record<SafetyKind, ReadonlySet<string>>> = {
  allergy: new Set([
    "nka",
    "nkda",
    "nkma",
    "nka nkda",
    "n k a",
    "n k d a",
    "no allergies",
    "no allergy",
    "no known allergies",
    "no known allergy",
    "no known drug allergies",
    "no known drug allergy",
    "no known medication allergies",
    "no known medication allergy",
    "no drug allergies",
    "no medication allergies",
    "denies allergies",
    "denies any allergies",
    "denies drug allergies",
    "not allergic",
    "not allergic to anything",
  ]),
  medication: new Set([
    "no medications",
    "no medication",
    "no meds",
    "no other medications",
    "no current medications",
    "no known medications",
    "not taking any medications",
    "not taking any medication",
    "takes no medications",
    "denies medications",
  ]),
  condition: new Set([
    "no conditions",
    "no health conditions",
    "no medical conditions",
    "no known conditions",
    "no known health conditions",
    "no known medical conditions",
    "no known problems",
    "no medical history",
    "no past medical history",
    "no significant medical history",
    "healthy",
  ]),
};
