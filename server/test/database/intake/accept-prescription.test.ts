import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acceptanceRefusals } from "../../../src/domain/intake/decide-acceptance.ts";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { acceptPrescription } from "../../../src/usecases/intake/accept-prescription.ts";
import { resolveReview } from "../../../src/usecases/intake/close-review.ts";
import { LICENSE_NEEDED } from "../../../src/usecases/intake/require-reviewer.ts";
import { newMessage, openIntake } from "../../support/intake.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { licenseFor } from "../../support/web.ts";

let app: TestApp;
let intake: Awaited<ReturnType<typeof openIntake>>;
const PHARMACIST = "pia@larkspur.example";

beforeAll(async () => {
  app = await startTestApp();
  intake = await openIntake(app);
  await app.deps.db.transaction(async (tx) => {
    const { rows } = await tx.raw("select partner_id from partner limit 1");
    const partner_id = rows[0]!["partner_id"] as string;
    for (const [email, role, partner] of [
      [PHARMACIST, "pharmacist", null],
      ["lee@larkspur.example", "lead", null],
      ["tam@larkspur.example", "technician", null],
      ["ada@larkspur.example", "admin", null],
      ["old@larkspur.example", "pharmacist", null],
      ["gone@larkspur.example", "pharmacist", null],
      ["dev@partner.example", "partner_admin", partner_id],
    ] as const) {
      const person = { email, name: "N", role, partner_id: partner, password_hash: "x", ...licenseFor(role) };
      await createPerson(tx, person, new Date());
    }
    await tx.raw("update person set disabled_at = now() where email = 'gone@larkspur.example'");
    await tx.raw("update person set license_expires_on = '2020-01-31' where email = 'old@larkspur.example'");
  });
});
afterAll(() => app.stop());

let number = 0;
/** A controlled prescription without a signature, for the demo partner with that index. */
async function doubtful(partner = 0, effective_date = "2026-11-12") {
  const { account_id, ncpdp_id } = app.demo.partners[partner]!;
  const message_id = `A-${++number}`;
  const drug = { description: "Zolpidem 5 mg tablet", codes: [], strength: null, schedule: null };
  await intake.send(
    newMessage({
      envelope: { message_id, to: ncpdp_id, prescriber_order_number: message_id },
      patient: { ids: [], last_name: `Number ${number}` },
      prescription: { signature_evidence: false, drug, effective_date, expiration_date: null },
    }),
  );
  const { rows } = await app.deps.db.raw("select * from prescription where sender_message_id = $1", [message_id]);
  return { account_id, message_id, prescription_id: rows[0]!["prescription_id"] as number };
}

type Place = { account_id: string; prescription_id: number };
const decide = (
  { account_id, prescription_id }: Place,
  verdict: "accepted" | "rejected" = "accepted",
  email = PHARMACIST,
  note?: string,
) => acceptPrescription(app.deps, { account_id, prescription_id, verdict, email, note }, app.deps.now());
const rowOf = async ({ account_id, prescription_id }: Place) =>
  (
    await app.deps.db.raw(
      "select acceptance, order_due_at, active from prescription where account_id = $1 and prescription_id = $2",
      [account_id, prescription_id],
    )
  ).rows[0]!;
const reviewOf = async ({ account_id, prescription_id }: Place) =>
  (
    await app.deps.db.raw(
      "select v.*, p.email from review v left join person p on p.person_id = v.resolved_by where kind = 'prescription_acceptance' and account_id = $1 and prescription_id = $2",
      [account_id, prescription_id],
    )
  ).rows[0]!;

describe("a verdict", () => {
  test("accepts the prescription and closes its entry, with the user and the note", async () => {
    const place = await doubtful();
    await decide(place, "accepted", "PIA@larkspur.example", "Called the practice.");
    expect(await rowOf(place)).toEqual({ acceptance: "accepted", order_due_at: null, active: true });
    expect(await reviewOf(place)).toMatchObject({ email: PHARMACIST, outcome: "accepted: Called the practice." });
  });

  test("can be a rejection: no order ever becomes due", async () => {
    const place = await doubtful(1);
    await decide(place, "rejected", "lee@larkspur.example");
    expect(await rowOf(place)).toMatchObject({ acceptance: "rejected", order_due_at: null });
    expect(await reviewOf(place)).toMatchObject({ outcome: "rejected" });
  });

  test("makes an order due immediately in Automatic Processing, or on the first fill date", async () => {
    const [now, later] = [await doubtful(1), await doubtful(1, "2099-01-02")];
    const before = app.deps.now();
    await decide(now);
    await decide(later);
    const due = (await rowOf(now))["order_due_at"] as Date;
    expect(due.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(due.getTime()).toBeLessThanOrEqual(app.deps.now().getTime());
    expect(((await rowOf(later))["order_due_at"] as Date).toISOString()).toBe("2099-01-02T05:00:00.000Z");
  });

  test("uses the account's clock", async () => {
    const place = await doubtful(1);
    await app.deps.db.raw("update account set clock_offset_s = 86400 where account_id = $1", [place.account_id]);
    await decide(place);
    await app.deps.db.raw("update account set clock_offset_s = 0 where account_id = $1", [place.account_id]);
    const tomorrow = app.deps.now().getTime() + 86_000_000;
    expect(((await rowOf(place))["order_due_at"] as Date).getTime()).toBeGreaterThan(tomorrow);
    expect(((await reviewOf(place))["resolved_at"] as Date).getTime()).toBeGreaterThan(tomorrow);
  });

  test("is given once: of ten at once one succeeds, and nine get an error", async () => {
    const place = await doubtful();
    const verdicts = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => decide(place, index % 2 === 0 ? "accepted" : "rejected")),
    );
    const kept = (await rowOf(place))["acceptance"] as "accepted" | "rejected";
    expect(verdicts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const verdict of verdicts) {
      if (verdict.status === "rejected") expect(verdict.reason.message).toBe(acceptanceRefusals[kept]);
    }
    expect(await reviewOf(place)).toMatchObject({ outcome: kept });
  });

  const refusals: Record<string, [change: Partial<Place> & { email?: string; note?: string }, sentence: string]> = {
    "of an unknown user": [{ email: "who@larkspur.example" }, "No user has this email address."],
    "of a former user": [{ email: "gone@larkspur.example" }, "No user has this email address."],
    "of a technician": [{ email: "tam@larkspur.example" }, "Only a pharmacist may decide this."],
    "of an admin": [{ email: "ada@larkspur.example" }, "Only a pharmacist may decide this."],
    "of a pharmacist whose license expired": [{ email: "old@larkspur.example" }, LICENSE_NEEDED],
    "of a partner's admin": [{ email: "dev@partner.example" }, "Only a pharmacist may decide this."],
    "on an unknown prescription": [{ prescription_id: 1 }, "There is no such prescription in this account."],
    "in another account": [{ account_id: "0".repeat(12) }, "There is no such prescription in this account."],
    "with a control character in the note": [{ note: "a\tb" }, "Write 1 to 500 characters of plain text."],
    "with a note that is too long": [{ note: "a".repeat(501) }, "Write 1 to 500 characters of plain text."],
  };
  test.each(Object.entries(refusals))("%s is rejected and changes nothing", async (_what, [change, sentence]) => {
    const place = await doubtful();
    await expect(decide({ ...place, ...change }, "accepted", change.email, change.note)).rejects.toThrow(sentence);
    expect(await rowOf(place)).toMatchObject({ acceptance: "pending" });
    expect(await reviewOf(place)).toMatchObject({ resolved_at: null });
  });

  test("is rejected if none is needed", async () => {
    const message_id = `A-${++number}`;
    await intake.send(newMessage({ envelope: { message_id }, patient: { ids: [], last_name: `Number ${number}` } }));
    const { rows } = await app.deps.db.raw("select * from prescription where sender_message_id = $1", [message_id]);
    await expect(decide(rows[0] as Place)).rejects.toThrow(acceptanceRefusals.not_needed);
  });

  test("on a prescription that its prescriber canceled can only be a rejection", async () => {
    const place = await doubtful(1);
    await app.deps.db.raw("update prescription set active = false where prescription_id = $1", [place.prescription_id]);
    await expect(decide(place)).rejects.toThrow(acceptanceRefusals.ended);
    await decide(place, "rejected");
    expect(await rowOf(place)).toMatchObject({ acceptance: "rejected", order_due_at: null });
  });
});

describe("an entry of another kind", () => {
  const reuse = async () => {
    const { message_id } = await doubtful();
    await intake.send(newMessage({ envelope: { message_id }, prescription: { refills: 1 } }));
    const { rows } = await app.deps.db.raw(
      "select account_id, review_id from review where kind = 'message_id_reused' order by review_id desc limit 1",
    );
    return rows[0] as { account_id: string; review_id: number };
  };
  const resolve = (place: { account_id: string; review_id: number }, email = PHARMACIST, outcome = "Looked into it.") =>
    resolveReview(app.deps.db, { ...place, email, outcome }, app.deps.now());

  test("is closed once, by a role that may, with the outcome", async () => {
    const place = await reuse();
    await expect(resolve(place, "tam@larkspur.example")).rejects.toThrow("Only a pharmacist");
    await expect(resolve(place, PHARMACIST, " ")).rejects.toThrow("Write 1 to");
    await expect(resolve({ ...place, account_id: "0".repeat(12) })).rejects.toThrow("There is no such entry");
    await resolve(place);
    await expect(resolve(place)).rejects.toThrow("This entry is already closed.");
    const { rows } = await app.deps.db.raw("select outcome from review where review_id = $1", [place.review_id]);
    expect(rows).toEqual([{ outcome: "Looked into it." }]);
  });

  test("cannot stand in for a verdict on a prescription", async () => {
    const { review_id, account_id } = (await reviewOf(await doubtful())) as { review_id: number; account_id: string };
    await expect(resolve({ account_id, review_id })).rejects.toThrow("needs a verdict");
  });
});
