import { expect, test } from "vitest";
import { damagedPatients } from "../../../src/usecases/patients/damaged-patients.ts";

const patients = [1, 2, 3, 4].map((patient_key) => ({ account_id: "abcdefghijkl", patient_key }));
const load = async (most: number) => patients.slice(0, most);
const at = (minute: number) => new Date(Date.UTC(2026, 10, 19, 12, minute));

test("patients that a job failed on do not use up its batches, and have another turn after an hour", async () => {
  const damaged = damagedPatients();
  const keys = async (minute: number, most: number) =>
    (await damaged.others(at(minute), most, load)).map(({ patient_key }) => patient_key);
  expect(await keys(0, 2)).toEqual([1, 2]);
  damaged.add(patients[0]!, at(0));
  damaged.add(patients[1]!, at(1));
  expect(await keys(1, 2)).toEqual([3, 4]);
  expect(await keys(59, 3)).toEqual([3, 4]);
  expect(await keys(60, 3)).toEqual([1, 3, 4]);
  expect(await keys(61, 2)).toEqual([1, 2]);
});

test("the same key in another account is another patient", async () => {
  const damaged = damagedPatients();
  damaged.add({ account_id: "zzzzzzzzzzzz", patient_key: 1 }, at(0));
  expect(await damaged.others(at(0), 1, load)).toEqual([patients[0]]);
});
