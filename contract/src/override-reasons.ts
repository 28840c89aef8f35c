/**
 * Why a pharmacist overrides an exception. The pharmacist chooses one code and adds a text; the order's timeline stores
 * both with the license number.
 */
export const overrideReasons = {
  prescriber_consulted: "The prescriber was consulted and confirms the prescription.",
  benefit_outweighs_risk: "The benefit outweighs the risk for this patient.",
  dose_verified: "The dose was verified and is intended.",
  patient_counseled: "The patient was counseled about the risk.",
  previously_tolerated: "The patient has tolerated this drug or combination before.",
  therapy_change: "The other drug was stopped or changed.",
  monitoring_in_place: "The patient is monitored for this risk.",
  not_clinically_significant: "The finding is not clinically significant for this patient.",
  record_corrected: "The record was wrong and was corrected.",
  other: "Another reason, given in the text.",
} as const;
export type OverrideCode = keyof typeof overrideReasons;
export const overrideCodes = Object.keys(overrideReasons) as [OverrideCode, ...OverrideCode[]];

/** Minimum length of the text of an override, so that "ok" is not a reason. */
export const SHORTEST_OVERRIDE_TEXT = 10;
