import { messageAnswerPlace } from "../../db/intake/messages.ts";
import { factsPlace } from "../../db/intake/reviews.ts";
import type { Vault } from "../../vault/vault.ts";

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
export function openFacts<Row extends FactsKey & { facts: ReviewFacts | null; facts_sealed: Buffer | null }>(
  vault: Vault,
  { facts, facts_sealed, ...row }: Row,
): Omit<Row, "facts" | "facts_sealed"> & { facts: ReviewFacts } {
  if (facts_sealed === null) return { ...row, facts: facts ?? {} };
  const opened = vault.open(facts_sealed, factsPlace(row.account_id, row.intake_message_id, row.kind));
  return { ...row, facts: JSON.parse(opened.toString("utf8")) };
}
