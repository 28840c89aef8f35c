import type { SafetySource } from "@pestle/contract";
import type { ReactNode } from "react";
import { say, sayWith } from "../../../ui/words/say.tsx";

/** Who recorded a safety fact. Whole sentences, because languages decline the names. */
export const fromTexts: Record<SafetySource, string> = {
  prescriber: say("From the prescriber"),
  partner: say("From the partner"),
  pharmacy: say("From the pharmacy"),
};

/** Who said that the patient has none. */
export const saidText: Record<SafetySource, (date: string) => string> = {
  prescriber: (date) => say("The prescriber said so, {date}", { date }),
  partner: (date) => say("The partner said so, {date}", { date }),
  pharmacy: (date) => say("The pharmacy said so, {date}", { date }),
};

/** Who removed it, when and why. */
export const removedText: Record<SafetySource, (given: { when: ReactNode; reason: string }) => ReactNode> = {
  prescriber: (given) => sayWith("Removed by the prescriber, {when}: {reason}", given),
  partner: (given) => sayWith("Removed by the partner, {when}: {reason}", given),
  pharmacy: (given) => sayWith("Removed by the pharmacy, {when}: {reason}", given),
};
