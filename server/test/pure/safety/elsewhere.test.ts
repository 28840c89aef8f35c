import { describe, expect, test } from "vitest";
import { type AssessedOrder, orderFindings } from "../../../src/domain/safety/assess-safety.ts";
import { elsewhereFindings, isElsewhere, type PersonElsewhere } from "../../../src/domain/safety/elsewhere.ts";
import { daysAgo, NOW, shipped } from "../../support/samples/safety.ts";

const safety = { data: shipped };
const nothing = { medications: [], health_conditions: [], allergies: [] } as PersonElsewhere["patient_safety"];
const fill = (drug: string, days_ago: number | null, order_number = "7") => ({
  order_number,
  ingredients: [drug],
  gcn: drug,
  shipped_at: days_ago === null ? null : daysAgo(days_ago),
  days_supply: 30,
});
const orderOf = (drug: string, drug_schedule: "0" | "4" = "0", more: Partial<AssessedOrder> = {}): AssessedOrder => ({
  items: [
    {
      item_id: 1,
      ingredients: [drug],
      drug,
      is_drug: true,
      gcn: drug,
      sig_text: null,
      units: null,
      days_supply: 30,
      drug_schedule,
    },
  ],
  fills: [],
  patient_safety: nothing,
  patient: { dob: null, gender: null, weight_kg: null },
  now: NOW,
  ...more,
});
const found = (order: AssessedOrder, ...people: PersonElsewhere[]) =>
  elsewhereFindings(safety, order, orderFindings(safety, order), { people });
const known = (partner: string, more: Partial<PersonElsewhere> = {}): PersonElsewhere => ({
  partner,
  patient_safety: nothing,
  fills: [],
  ...more,
});

describe("facts from another partner", () => {
  test("hold a controlled drug that the other partner filled", () => {
    const filled = known("Juniper Care", { fills: [fill("zolpidem", 10)] });
    expect(found(orderOf("zolpidem", "4"), filled)).toMatchObject([
      {
        kind: "refill_too_soon",
        exception_id: 75,
        key: "elsewhere refill_too_soon zolpidem",
        message: expect.stringContaining("with order 7 of Juniper Care"),
        elsewhere: ["Juniper Care"],
      },
    ]);
  });

  test("add up with the order's own fills over the year", () => {
    const own = orderOf("zolpidem", "4", { fills: [fill("zolpidem", 52, "1"), fill("zolpidem", 26, "2")] });
    expect(orderFindings(safety, own)).toEqual([]);
    const other = known("Juniper Care", { fills: [fill("zolpidem", 40)] });
    expect(found(own, other)).toMatchObject([
      { kind: "refill_too_soon", exception_id: 75, message: expect.stringContaining("3 fills") },
    ]);
  });

  test("hold with 75 also for an allergy", () => {
    const allergic = known("Juniper Care", { patient_safety: { ...nothing, allergies: ["Penicillin"] } });
    expect(found(orderOf("amoxicillin"), allergic)).toMatchObject([{ kind: "allergy", exception_id: 75 }]);
  });

  test("hold for a condition that only the other partner knows", () => {
    const pregnant = known("Juniper Care", { patient_safety: { ...nothing, health_conditions: ["Pregnancy"] } });
    expect(found(orderOf("isotretinoin"), pregnant)).toMatchObject([
      { kind: "condition", exception_id: 75, elsewhere: ["Juniper Care"] },
    ]);
  });

  test("that the order's own record has too are not repeated", () => {
    const listed = { ...nothing, medications: ["Nitroglycerin"] };
    const own = orderOf("sildenafil", "0", { patient_safety: listed });
    expect(orderFindings(safety, own)).toMatchObject([{ exception_id: 75 }]);
    expect(found(own, known("Juniper Care", { patient_safety: listed }))).toEqual([]);
  });

  test("give nothing without other partners, and nothing from unusable tables", () => {
    expect(found(orderOf("sildenafil"))).toEqual([]);
    const people = [known("Juniper Care", { fills: [fill("nitroglycerin", null)] })];
    expect(elsewhereFindings({ unfit: ["broken"] }, orderOf("sildenafil"), [], { people })).toEqual([]);
  });
});

test("earlier findings stay for the items that the order still has", () => {
  const earlier = found(orderOf("sildenafil"), known("Juniper Care", { fills: [fill("nitroglycerin", null)] }));
  expect(earlier).toHaveLength(1);
  expect(elsewhereFindings(safety, orderOf("sildenafil"), [], { found: earlier })).toEqual(earlier);
  const gone = earlier.map((finding) => ({ ...finding, item_id: 2 }));
  expect(elsewhereFindings(safety, orderOf("sildenafil"), [], { found: gone })).toEqual([]);
});

test("an exception rests elsewhere only if all of its findings do", () => {
  const [finding] = found(orderOf("sildenafil"), known("Juniper Care", { fills: [fill("nitroglycerin", null)] }));
  const { elsewhere: _, ...own } = finding!;
  expect(isElsewhere([finding!], 75)).toBe(true);
  expect(isElsewhere([finding!, own], 75)).toBe(false);
  expect(isElsewhere([finding!], 74)).toBe(false);
  expect(isElsewhere([], 75)).toBe(false);
});
