import type { DashboardShelf } from "@pestle/contract";

/** Searches by words in the name, part of the SKU, or the NDC as printed: 10 or 11 digits, with or without dashes. */
export function findShelves(shelves: readonly DashboardShelf[], text: string): readonly DashboardShelf[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return shelves;
  const digits = text.replaceAll(/[\s-]/g, "");
  const is_code = /^\d{4,14}$/.test(digits);
  return shelves.filter(({ name, sku, ndc }) => {
    const said = `${name} ${sku}`.toLowerCase();
    return words.every((word) => said.includes(word)) || (is_code && ndc !== null && fitsNdc(ndc, digits));
  });
}

/** Packages show a 10-digit NDC. The 11-digit form pads one of its three parts with a zero. */
function fitsNdc(ndc: string, digits: string): boolean {
  const shortened = [0, 5, 9].filter((at) => ndc[at] === "0").map((at) => ndc.slice(0, at) + ndc.slice(at + 1));
  return [ndc, ...shortened].some((one) => one.startsWith(digits) || digits.includes(one));
}
