import { expect, test } from "vitest";
import { baseOf, drugNames, readDrugNames, writeDrugNames } from "../../../src/domain/safety/texts/drug-names.ts";
import { shipped } from "../../support/samples/safety.ts";

const { salts } = shipped.lexicon;
const row = (kind: string, name: string, ingredients = "", rxcui = "1") => ({ rxcui, kind, name, ingredients });

test("a salt is reduced to its ingredient, and a brand means its ingredients", () => {
  const names = drugNames(
    [
      row("IN", "metoprolol"),
      row("PIN", "metoprolol succinate"),
      row("IN", "potassium chloride"),
      row("IN", "bevacizumab"),
      row("PIN", "bevacizumab-awwb"),
      row("BN", "Toprol", "metoprolol succinate"),
      row("BN", "Ovide", "once-daily metoprolol tartrate / potassium chloride"),
      row("BN", "Empty", "twice-daily"),
      row("MIN", "metoprolol / potassium chloride"),
      row("IN", "atorvastatin calcium", "", ""),
    ],
    salts,
  );
  expect(names).toEqual([
    { name: "atorvastatin", ingredients: [] },
    { name: "bevacizumab", ingredients: [] },
    { name: "bevacizumab awwb", ingredients: ["bevacizumab"] },
    { name: "metoprolol", ingredients: [] },
    { name: "ovide", ingredients: ["metoprolol", "potassium chloride"] },
    { name: "potassium chloride", ingredients: [] },
    { name: "toprol", ingredients: ["metoprolol"] },
  ]);
  expect(readDrugNames(`# note\n${writeDrugNames(names)}\n`)).toEqual(names);
});

test("a mineral keeps its salt, because that is the drug", () => {
  expect(baseOf("potassium chloride", salts)).toBe("potassium chloride");
  expect(baseOf("sertraline hydrochloride", salts)).toBe("sertraline");
  expect(baseOf("mefenamic acid", salts)).toBe("mefenamic acid");
});
