import type { MedicationRequest } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrder, placed, post } from "../../support/orders.ts";
import { arrived } from "../../support/simulate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const scattered = async (first: number, count: number): Promise<number[]> => {
  const { rows } = await app.owner.raw("select scattered_id(n)::integer as id from generate_series($1::bigint, $2) n", [
    first,
    first + count - 1,
  ]);
  return rows.map(({ id }) => Number(id));
};

/** The places of the values when they are sorted. */
const ranks = (values: readonly number[]): number[] => {
  const sorted = [...values].sort((a, b) => a - b);
  return values.map((value) => sorted.indexOf(value));
};
/** Spearman's: 1 if one list grows with the other, 0 if they have nothing in common. */
function correlation(one: readonly number[], other: readonly number[]): number {
  const n = one.length;
  const [a, b] = [ranks(one), ranks(other)];
  const distance = a.reduce((sum, rank, index) => sum + (rank - b[index]!) ** 2, 0);
  return 1 - (6 * distance) / (n * (n * n - 1));
}

const COUNT = 2_000;
/** More than seven standard deviations of lists that have nothing in common. */
const UNRELATED = 0.16;

test("consecutive numbers give different ids of nine digits that tell neither the number nor the distance", async () => {
  const ids = await scattered(183_601, COUNT);
  expect(new Set(ids).size).toBe(COUNT);
  for (const id of ids) expect(String(id)).toMatch(/^[1-9]\d{8}$/);
  const numbers = ids.map((_, index) => index);
  expect(Math.abs(correlation(numbers, ids))).toBeLessThan(UNRELATED);
  const [earlier, later] = [ids.slice(0, -1), ids.slice(1)];
  expect(Math.abs(correlation(earlier, later))).toBeLessThan(UNRELATED);
  // Numbers that are far apart look as close as neighbors.
  const far = await scattered(183_601 + 700_000, COUNT);
  const distances = (others: readonly number[]) => ids.map((id, index) => Math.abs(id - others[index]!));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [near_by, far_off] = [mean(distances([...later, ids[0]!])), mean(distances(far))];
  expect(near_by / far_off).toBeGreaterThan(0.8);
  expect(near_by / far_off).toBeLessThan(1.25);
});

test("a number beyond the range, and an id of an earlier version, stay apart from all others", async () => {
  expect(await scattered(900_000_000, 2)).toEqual([1_900_000_000, 1_900_000_001]);
  const earlier = 183_601;
  expect(Math.min(...(await scattered(earlier, 100)))).toBeGreaterThanOrEqual(100_000_000);
});

test("prescriptions, dispenses and action requests have such ids, and lists go by time", async () => {
  const { patient_id, prescription_id } = await arrived(app);
  const ids = [prescription_id];
  for (let made = 0; made < 5; made++) {
    ids.push((await arrived(app, { patient: { patient_id } })).prescription_id);
    await arrived(app, {}, { partner: 1 });
  }
  const answer = await app.call(`/patients/${patient_id}/rx`);
  const { medication_request } = (await answer.json()) as { medication_request: MedicationRequest[] };
  expect(medication_request.map(({ id }) => id)).toEqual([...ids].reverse());

  const order = await placed(app, (await newOrder(app)).body);
  const path = `/orders/${order.order_number}/partner_order_action_requests`;
  const actions: number[] = [];
  for (const event of ["hold", "release", "hold", "cancel"]) {
    const asked = await post(app, { event }, { path });
    expect([event, asked.status]).toEqual([event, 201]);
    actions.push(asked.body.id);
  }
  const listed = (await (await app.call(path)).json()) as { partner_order_action_requests: { id: number }[] };
  expect(listed.partner_order_action_requests.map(({ id }) => id)).toEqual([...actions].reverse());
  for (const id of [...ids, ...actions, order.items[0]!.dispense_id]) expect(String(id)).toMatch(/^\d{9}$/);
});
