import { RETRY_DELAYS_S, renewalResponses } from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { closedBy, messageIdOf, renewalProblems, wireId } from "../../../src/domain/prescribers/prescriber-request.ts";
import { wishesOf } from "../../../src/domain/prescribers/prescriber-wishes.ts";
import { sendingOutcome } from "../../../src/domain/prescribers/sending-outcome.ts";
import { magicPrescribers, sandboxAnswer } from "../../../src/domain/sandbox/sandbox-prescriber.ts";

const facts = {
  active: true,
  drug_schedule: "0",
  prohibits_renewal: false,
  environment: "production" as const,
  has_route: true,
  is_filled: true,
  has_open_renewal: false,
};

describe("a request for renewal is refused", () => {
  test.each([
    ["never, if the prescription was filled and its sender has a route", {}, []],
    ["if the prescription has ended", { active: false }, [42284]],
    ["for schedule 2", { drug_schedule: "2" }, [42284]],
    ["if the prescriber prohibits it", { prohibits_renewal: true }, [42284]],
    ["if it was never filled", { is_filled: false }, [42284]],
    ["if another one is open", { has_open_renewal: true }, [42285]],
    ["without a route", { has_route: false }, [42286]],
    ["but in the sandbox it needs no route", { has_route: false, environment: "sandbox" as const }, []],
    ["for all reasons at once", { active: false, has_open_renewal: true, has_route: false }, [42284, 42285, 42286]],
  ])("%s", (_, change, codes) => {
    expect(renewalProblems({ ...facts, ...change }).map(({ code }) => code)).toEqual(codes);
  });
});

describe("what the prescriber wants", () => {
  const of = (fill_indicator: string | null, prohibits_renewal?: boolean) =>
    wishesOf({ fill_indicator, ...(prohibits_renewal !== undefined && { prohibits_renewal }) });
  test.each([[null], ["All Fill Statuses"], ["ALL FILL STATUSES EXCEPT TRANSFERRED"], ["something else"], [""]])(
    "%s names no limit",
    (text) => {
      expect(of(text)).toBeNull();
      expect(of(text, true)).toEqual({ prohibits_renewal: true, fill_reports: null });
    },
  );
  test.each<[string, string[]]>([
    ["Dispensed And Partially Dispensed", ["dispensed", "partially_dispensed"]],
    ["Partially Dispensed", ["partially_dispensed"]],
    ["PARTIALLY DISPENSED AND NOT DISPENSED", ["partially_dispensed", "not_dispensed", "returned"]],
    ["Not Dispensed And Transferred", ["not_dispensed", "returned"]],
    ["Dispensed", ["dispensed"]],
    ["Cancel All Fill Statuses", []],
  ])("%s: only these reports", (text, fill_reports) => {
    expect(of(text)).toEqual({ prohibits_renewal: false, fill_reports });
  });
});

describe("the id of a message", () => {
  const id = "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42";
  test("fits the standard and is found again, in any case and with dashes", () => {
    expect(wireId(id)).toHaveLength(32);
    expect(messageIdOf(wireId(id))).toBe(id);
    expect(messageIdOf(wireId(id).toUpperCase())).toBe(id);
    expect(messageIdOf(id)).toBe(id);
  });
  test.each([null, "", "TF-0001", `${wireId(id)}0`, wireId(id).replace("0", "g"), "-".repeat(32)])(
    "%s is none of ours",
    (text) => {
      expect(messageIdOf(text)).toBeNull();
    },
  );
});

test("every final answer closes a request; a pending one does not", () => {
  expect(closedBy("pending")).toBeNull();
  for (const response of renewalResponses) {
    expect(closedBy(response)).toEqual({ state: response.startsWith("denied") ? "denied" : "approved", response });
  }
});

describe("an attempt", () => {
  const now = new Date("2027-02-10T12:00:00Z");
  const given = { tried: 1, now, account_now: now, chance: 0.5 };
  const answer = (status: number | null, trouble: string | null = null) => ({
    status,
    trouble,
    retry_after: undefined,
  });
  const error = (code: string) => ({ kind: "error" as const, code, description_code: "002" });
  test("that the network accepts is sent, with or without a Status", () => {
    const sent = { state: "sent", error: null, due_at: null };
    expect(sendingOutcome(answer(200), null, given)).toEqual(sent);
    expect(sendingOutcome(answer(202), { kind: "taken" }, given)).toEqual(sent);
  });
  test("that the network refuses in its answer has failed, and is not repeated", () => {
    expect(sendingOutcome(answer(200), error("900"), given)).toEqual({
      state: "failed",
      error: "rejected 900 002",
      due_at: null,
    });
  });
  test.each([
    ["the network asks to try later", answer(200), error("602"), "rejected 602 002"],
    ["the network cannot be reached", answer(null, "ECONNREFUSED"), null, "refused"],
    ["the network answers 500", answer(500), null, "status"],
  ])("is repeated by the webhooks' table if %s", (_, got, said, error_name) => {
    const due_at = new Date(now.getTime() + RETRY_DELAYS_S[1]! * 1000);
    expect(sendingOutcome(got, said, given)).toMatchObject({ state: "queued", due_at });
    expect(sendingOutcome(got, said, given).error).toContain(error_name.split(" ")[0]);
  });
  test("after the last delay it has failed", () => {
    const tried = RETRY_DELAYS_S.length;
    expect(sendingOutcome(answer(500), null, { ...given, tried })).toMatchObject({ state: "failed", due_at: null });
    expect(sendingOutcome(answer(410), null, given)).toMatchObject({ state: "failed", due_at: null });
  });
  test("no words of the network are kept", () => {
    const said = { kind: "error" as const, code: "900", description_code: "Marisol" };
    expect(sendingOutcome(answer(200), said, given).error).toBe("rejected 900");
  });
});

describe("the prescriber of the sandbox", () => {
  const prescription = {
    prescriber_name: "Ada Lindqvist",
    prescriber_phone: null,
    prescriber_fax: null,
    prescriber_npi: "1234567893",
    prescriber_dea: null,
    written_date: "2026-11-10",
    drug_name: "Atorvastatin 20 mg tablet",
    ndc: "70999010130",
    gcn: null,
    sig_text: "Take one tablet daily.",
    written_qty: 90,
    unit: "tablet",
    days_supply: 90,
    refills: 3,
    drug_schedule: "0" as const,
    daw: false,
  };
  const asked = (prescriber_name: string, kind: "renewal" | "change" | "fill" = "renewal") =>
    sandboxAnswer(
      { kind, sender: "6120042", wire_id: "w", message_id: "answer w" },
      { prescription: { ...prescription, prescriber_name } },
      new Date("2027-02-10T12:00:00Z"),
      "2027-02-10",
    );
  test("approves with the same refills, unless its last name is magic", () => {
    expect(asked("Ada Lindqvist")?.content).toMatchObject({ response: "approved", prescription: { refills: 3 } });
    expect(asked("Dana Deny")?.content).toMatchObject({ response: "denied", prescription: null });
    expect(asked("CHARLIE CHANGE")?.content).toMatchObject({
      response: "approved_with_changes",
      prescription: { refills: 1 },
    });
    expect(asked("Rae Replace")?.content).toMatchObject({ response: "replace", prescription: { refills: 3 } });
    expect(asked("Sam Silent")).toBeNull();
    expect(Object.keys(magicPrescribers)).toEqual(["deny", "change", "replace", "silent"]);
  });
  test("answers requests and no notices", () => {
    expect(asked("Dana Deny", "change")?.content).toMatchObject({ kind: "change", response: "denied" });
    expect(asked("Ada Lindqvist", "fill")).toBeNull();
    expect(asked("constructor")?.content).toMatchObject({ response: "approved" });
  });
});
