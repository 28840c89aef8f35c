import { messageAnswerPlace } from "../../db/intake/messages.ts";
import { factsPlace } from "../../db/intake/reviews.ts";
import type { Vault } from "../../vault/vault.ts";
import { openAnyPatientId } from "../patients/patient-rows.ts";

type MessageKey = { account_id: string; sender: string; sender_message_id: string };

export const sealAnswer = (
  vault: Vault,
  { account_id, sender, sender_message_id }: MessageKey,
  answer: string,
): Buffer => vault.seal(Buffer.from(answer), messageAnswerPlace(account_id, sender, sender_message_id));

/** The answer that a sender received; null if the message has none yet. A row of an earlier version has it in clear. */
export function openAnswer(
  vault: Vault,
  { account_id, sender, sender_message_id }: MessageKey,
  { answer, answer_sealed }: { answer: string | null; answer_sealed: Buffer | null },
): string | null {
  if (answer_sealed === null) return answer;
  return vault.open(answer_sealed, messageAnswerPlace(account_id, sender, sender_message_id)).toString("utf8");
}

type FactsKey = { account_id: string; intake_message_id: number | null; kind: string };
export type ReviewFacts = Record<string, unknown>;

export const sealFacts = (
  vault: Vault,
  { account_id, intake_message_id, kind }: FactsKey,
  facts: ReviewFacts,
): Buffer => vault.seal(Buffer.from(JSON.stringify(facts)), factsPlace(account_id, intake_message_id, kind));

/** What a review entry is about. A row of an earlier version has it in clear. */
export function openReview<Row extends SealedReview>(
  vault: Vault,
  { facts, facts_sealed, patient_key, id_sealed, ...row }: Row,
): OpenedReview<Row> {
  const { account_id, intake_message_id, kind } = row;
  const patient_id = openAnyPatientId({ vault }, account_id, { patient_key, id_sealed });
  if (facts_sealed === null) return { ...row, patient_id, facts: facts ?? {} };
  const opened = vault.open(facts_sealed, factsPlace(account_id, intake_message_id, kind));
  return { ...row, patient_id, facts: JSON.parse(opened.toString("utf8")) };
}
type SealedReview = FactsKey & {
  facts: ReviewFacts | null;
  facts_sealed: Buffer | null;
  patient_key: number | null;
  id_sealed: Buffer | null;
};
export type OpenedReview<Row extends SealedReview> = Omit<
  Row,
  "facts" | "facts_sealed" | "patient_key" | "id_sealed"
> & {
  facts: ReviewFacts;
  patient_id: string | null;
};
