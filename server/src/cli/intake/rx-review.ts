import { WrongUsage } from "@pestle/cli/errors";
import { facts, minute } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { createCopies } from "../../copies.ts";
import { listAccounts } from "../../db/accounts/accounts.ts";
import type { Db } from "../../db/db.ts";
import { listReviews } from "../../db/intake/reviews.ts";
import type { Verdict } from "../../domain/intake/decide-acceptance.ts";
import { reasonSentence, reviewKinds } from "../../domain/intake/review-kinds.ts";
import { formatOf } from "../../formats/formats.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { acceptPrescription } from "../../usecases/intake/accept-prescription.ts";
import { resolveReview } from "../../usecases/intake/close-review.ts";
import { openReview } from "../../usecases/intake/message-answer.ts";
import { routeKeptMessage } from "../../usecases/intake/route-kept-message.ts";
import type { Vault } from "../../vault/vault.ts";
import { AS, signedInStaff } from "../accounts/staff-session.ts";
import { type Session, withSchema, withVault } from "../session.ts";

type Listed = Awaited<ReturnType<typeof readReviewList>>[number];
type Decision = { account: string; as?: string; note?: string };

const ACCOUNT = ["--account <account_id>", "the account, from `pestle rx review`", { required: true }] as const;
const REVIEW_ID = ["review_id", "from `pestle rx review`"] as const;

const verdictCommand = (verb: "accept" | "reject", verdict: Verdict, summary: string): CommandRow => ({
  name: `rx ${verb}`,
  summary,
  argument: ["prescription_id", "from `pestle rx review`"],
  options: [ACCOUNT, AS, ["--note <text>", "what you checked, on one line, without patient data"]],
  examples: [
    `rx ${verb} 183601 --account 3f9k2m8x1q7z`,
    `rx ${verb} 183601 --account 3f9k2m8x1q7z --note "Called the prescriber."`,
  ],
  async run({ account, as, note }: Decision, argument, env) {
    const config = readConfig(env);
    const given = { account_id: account, prescription_id: wholeNumber(argument), verdict, note };
    const data = await withVault(config, async (session) => {
      const { email } = await staffOf(session, env, as);
      return acceptPrescription({ ...session, ...uncached() }, { ...given, email }, session.now);
    });
    const due = data.order_due_at === null ? "" : ` An order is due at ${minute(data.order_due_at)}.`;
    return { data, text: `Prescription ${data.prescription_id} is ${data.acceptance}.${due}` };
  },
});

export const rxReviewCommands: readonly CommandRow[] = [
  {
    name: "rx review",
    lists: "items to review",
    summary: "list the intake items that need a manual review, and why",
    options: [
      ["--account <account_id>", "only this account"],
      ["--all", "include closed items"],
    ],
    examples: ["rx review", "rx review --account 3f9k2m8x1q7z --all --json"],
    async run({ account, all }: { account?: string; all?: boolean }, _argument, env) {
      const reviews = await withVault(readConfig(env), async ({ db, vault }) => {
        if (account !== undefined && !(await listAccounts(db)).some(({ account_id }) => account_id === account)) {
          throw new AdminRefusal("There is no such account. Run `pestle partner list` to see the accounts.");
        }
        return readReviewList(db, vault, account ?? null, all ?? false);
      });
      const data = reviews.map((review) => ({
        ...review,
        says: reviewKinds[review.kind].says,
        reasons: review.reasons.map((code) => ({ code, sentence: reasonSentence(review.kind, code) })),
      }));
      return { data, text: reviews.map(paragraph).join("\n\n") || "The review queue is empty." };
    },
  },
  verdictCommand("accept", "accepted", "accept a doubtful prescription, so that it can be filled"),
  verdictCommand("reject", "rejected", "reject a doubtful prescription, so that it is never filled"),
  {
    name: "rx resolve",
    summary: "close any other review item and record the outcome",
    argument: REVIEW_ID,
    options: [ACCOUNT, AS, ["--outcome <text>", "the outcome, on one line, without patient data", { required: true }]],
    examples: ['rx resolve 12 --account 3f9k2m8x1q7z --outcome "Two people: asked the practice."'],
    async run({ account, as, outcome }: Decision & { outcome: string }, argument, env) {
      const review_id = wholeNumber(argument);
      await withSchema(readConfig(env), async (session) => {
        const { email } = await staffOf(session, env, as);
        await resolveReview(session.db, { account_id: account, review_id, email, outcome }, session.now);
      });
      return { data: { account_id: account, review_id, outcome }, text: `Review ${review_id} is closed.` };
    },
  },
  {
    name: "rx route",
    summary: "route a message to an account and process it immediately",
    argument: REVIEW_ID,
    options: [["--to <account_id>", "one of the accounts that share the receiver's NCPDP id", { required: true }], AS],
    examples: ["rx route 12 --to 3f9k2m8x1q7z"],
    async run({ to, as }: { to: string; as?: string }, argument, env) {
      const given = { review_id: wholeNumber(argument), account_id: to };
      const routed = await withVault(readConfig(env), async (session) => {
        const { email } = await staffOf(session, env, as);
        return routeKeptMessage({ ...session, now: () => new Date(), ...uncached() }, formatOf, { ...given, email });
      });
      const { patient_id, prescription_id } = routed;
      const made =
        prescription_id === null ? "Routed." : `Routed: prescription ${prescription_id} for patient ${patient_id}.`;
      return { data: { account_id: to, review_id: given.review_id, ...routed }, text: made };
    },
  },
];

/** A command handles one prescription, so it needs no cache. */
const uncached = () => ({ bus: { fresh: () => false }, copies: createCopies() });

const readReviewList = async (db: Db, vault: Vault, account_id: string | null, all: boolean) =>
  (await listReviews(db, account_id, all)).map((row) => openReview(vault, row));

/** The person who decides. They must have signed in. */
const staffOf = (session: Session, env: NodeJS.ProcessEnv | undefined, as: string | undefined) =>
  signedInStaff({ ...session, now: () => session.now }, env, as);

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new WrongUsage("Give the number from `pestle rx review`.");
  return Number(text);
}

/** One review item as text: what happened, why, to which record, and the command to run. */
function paragraph(review: Listed): string {
  const { account_id, review_id, kind, prescription_id, patient_id, resolved_at } = review;
  const about: Record<string, string> = { account: `${account_id} (${review.partner ?? "operator"})` };
  if (prescription_id !== null) about["prescription"] = String(prescription_id);
  if (patient_id !== null) about["patient"] = patient_id;
  if (review.intake_message_id !== null) about["message"] = String(review.intake_message_id);
  for (const [name, value] of Object.entries(review.facts)) about[name] = factText(value);
  if (resolved_at !== null) {
    about["closed"] =
      `${minute(resolved_at)} by ${review.resolved_by_email ?? review.resolved_by ?? "Pestle"}: ${review.outcome}`;
  }
  const lines = [
    `${review_id}  ${kind}  ${minute(review.created_at)}`,
    reviewKinds[kind].says,
    ...review.reasons.map((reason) => `- ${reasonSentence(kind, reason)}`),
    ...facts(about).split("\n"),
    ...(resolved_at === null ? [`pestle ${CLOSING[reviewKinds[kind].closed_by](review)}`] : []),
  ];
  return lines.join("\n  ");
}

/** Facts are numbers, ids, or candidate patients with their match score. */
function factText(fact: unknown): string {
  if (Array.isArray(fact)) return fact.map(factText).join(", ") || "-";
  if (typeof fact !== "object" || fact === null) return String(fact);
  const { patient_id, score } = fact as { patient_id?: string; score?: number };
  return patient_id === undefined ? JSON.stringify(fact) : `${patient_id} (score ${score})`;
}

const CLOSING = {
  accept: ({ prescription_id, account_id }: Listed) => `rx accept ${prescription_id} --account ${account_id}`,
  route: ({ review_id }: Listed) => `rx route ${review_id} --to ACCOUNT`,
  resolve: ({ review_id, account_id }: Listed) => `rx resolve ${review_id} --account ${account_id} --outcome TEXT`,
};
