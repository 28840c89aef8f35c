/** Directions, full words and their abbreviations (Publication 28, section 233). */
const directionals = new Map(
  Object.entries({ N: "NORTH", S: "SOUTH", E: "EAST", W: "WEST" })
    .concat(Object.entries({ NE: "NORTHEAST", NW: "NORTHWEST", SE: "SOUTHEAST", SW: "SOUTHWEST" }))
    .flatMap(([short, long]) => [
      [short, short],
      [long, short],
    ]),
);

export const directionalOf = (word: string): string | undefined => directionals.get(word);

/** Combines two directions: N and W are NW, but E and N stay two. */
export function joinedDirectional(first: string, second: string): string | undefined {
  const [a, b] = [directionals.get(first), directionals.get(second)];
  return a !== undefined && b !== undefined && /^[NS][EW]$/.test(a + b) ? a + b : undefined;
}

export interface UnitDesignator {
  abbreviation: string;
  /** `required`: APT needs a number. `optional`: REAR does not. */
  number: "required" | "optional";
  /** The word is rarely a street name. Alone at the end of a line it is a unit without its number. */
  firm: boolean;
  words: readonly string[];
}

const unit = (
  abbreviation: string,
  number: UnitDesignator["number"],
  firm: boolean,
  ...words: string[]
): UnitDesignator => ({ abbreviation, number, firm, words: [abbreviation, ...words] });

/** Publication 28, appendix C2; PMB is section 285. */
export const unitDesignators: readonly UnitDesignator[] = [
  unit("APT", "required", true, "APARTMENT", "APARTMT", "APMT"),
  unit("STE", "required", true, "SUITE"),
  unit("UNIT", "required", true),
  unit("#", "required", true),
  unit("PMB", "required", true),
  unit("BLDG", "required", false, "BUILDING", "BLD"),
  unit("RM", "required", false, "ROOM"),
  unit("FL", "required", false, "FLOOR", "FLR"),
  unit("DEPT", "required", false, "DEPARTMENT"),
  unit("TRLR", "required", false, "TRAILER"),
  unit("SPC", "required", false, "SPACE"),
  unit("LOT", "required", false),
  unit("HNGR", "required", false, "HANGAR", "HANGER"),
  unit("KEY", "required", false),
  unit("PIER", "required", false),
  unit("SLIP", "required", false),
  unit("STOP", "required", false),
  // A numbered box with a street is a box in that building, not at the post office.
  unit("BOX", "required", false, "BX"),
  unit("BSMT", "optional", false, "BASEMENT"),
  unit("FRNT", "optional", false, "FRONT"),
  unit("LBBY", "optional", false, "LOBBY"),
  unit("LOWR", "optional", false, "LOWER"),
  unit("OFC", "optional", false, "OFFICE"),
  unit("PH", "optional", false, "PENTHOUSE"),
  unit("REAR", "optional", false),
  unit("SIDE", "optional", false),
  unit("UPPR", "optional", false, "UPPER"),
];

const designators = new Map(unitDesignators.flatMap((row) => row.words.map((word) => [word, row] as const)));

export const unitDesignatorOf = (word: string): UnitDesignator | undefined => designators.get(word);

/** Spelled-out house numbers: One Main Street. */
export const numberWords: ReadonlySet<string> = new Set(
  "ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE TWENTY THIRTY FORTY FIFTY HUNDRED".split(" "),
);

/** What people enter in a required field to leave it empty. */
export const placeholders: ReadonlySet<string> = new Set(["NA", "N/A", "NONE", "NULL"]);
