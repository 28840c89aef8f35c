import { describe, expect, test } from "vitest";
import { withContact } from "../../../src/domain/patients/patient-changes.ts";
import { newPatientRecord } from "../../../src/domain/patients/patient-record.ts";
import { changedFields, patientUpdated } from "../../../src/domain/webhooks/patient-updated.ts";
import { expiryNotice, tellsOrderErrors, tookLastRefill } from "../../../src/domain/webhooks/rx-status-changed.ts";
import { prescription } from "../../support/samples/script-samples.ts";

const NOW = new Date("2026-11-17T12:00:00Z");
const record = newPatientRecord(prescription, NOW).record;

describe("a patient's changed fields", () => {
  test("are named in the order of the contract, and only if a partner sees the difference", () => {
    expect(changedFields(record, { ...record })).toEqual([]);
    expect(changedFields(record, { ...record, weight_kg: 81, next_address_id: 9, middle_name: "Q" })).toEqual([]);
    const other = { ...record, phone: "4155550000", email: "a@b.example", last_name: "X", first_name: "Y" };
    expect(changedFields(record, other)).toEqual(["email", "first_name", "last_name", "phone"]);
    expect(changedFields(record, { ...record, dob: "1950-01-01", gender: null })).toEqual(["dob", "gender"]);
    const safer = withContact(record, { patient_safety: { allergies: ["latex"] } }, NOW);
    expect(changedFields(record, safer)).toEqual(["patient_safety"]);
  });

  test("a document whose new number looks the same when masked has changed", () => {
    const document = {
      id: 1,
      type: "DL",
      issuing_country: "US",
      issuing_state: "CA",
      number: "D7712-4821",
      expiration_date: "2099-03-31",
    } as const;
    const before = { ...record, identity_documents: [document] };
    const after = { ...record, identity_documents: [{ ...document, number: "E9912-4821" }] };
    expect(changedFields(before, after)).toEqual(["identity_documents"]);
  });

  test("make no event if there are none", () => {
    const id = () => "id";
    expect(patientUpdated("p", record, { ...record, weight_kg: 80 }, NOW, id)).toBeNull();
    expect(patientUpdated("p", record, { ...record, phone: null }, NOW, id)?.body).toEqual({
      event_id: "id",
      event_type: "PATIENT_UPDATED",
      timestamp: NOW.getTime() / 1000,
      patient_id: "p",
      changed: ["phone"],
    });
  });
});

test.each([
  // refills, units ordered after it, units of the order, the last refill
  [3, 90, 90, false],
  [3, 270, 90, false],
  [3, 360, 90, true],
  [1, 180, 90, true],
  [1, 180, 180, true],
  [1, 180, 0, false],
  [1, 180, -90, false],
  [0, 90, 90, false],
  [1, 150, 60, true],
  [1, 180, 30, false],
])("%i refills, %i units ordered, %i of them now: the last refill was taken: %s", (refills, ordered, units, last) => {
  expect(tookLastRefill({ written_qty: 90, refills, units_ordered: ordered }, units)).toBe(last);
});

test("a prescription sends a notice before it expires and one when it does, and a rejected one sends none", () => {
  const expires_at = new Date("2027-11-17T00:00:00Z");
  const before = new Date("2027-10-18T00:00:00Z");
  const of = (expiry_notice_at: Date, acceptance: "accepted" | "pending" | "rejected" = "accepted") =>
    expiryNotice({ expires_at, expiry_notice_at, acceptance });
  expect(of(before)).toEqual({ change: "expiring", next_at: expires_at });
  expect(of(before, "pending")).toEqual({ change: "expiring", next_at: expires_at });
  expect(of(expires_at)).toEqual({ change: "expired", next_at: null });
  expect(of(before, "rejected")).toEqual({ change: null, next_at: null });
});

test("order errors make another event only if they differ, regardless of the order of their keys", () => {
  const error = { code: 42259, message: "m", resolution: "r", error_detail: [] } as never;
  const turned = { error_detail: [], resolution: "r", message: "m", code: 42259 } as never;
  expect(tellsOrderErrors([], [])).toBe(false);
  expect(tellsOrderErrors([], [error])).toBe(true);
  expect(tellsOrderErrors([error], [turned])).toBe(false);
  expect(tellsOrderErrors([error], [error, error])).toBe(true);
});
