import { cityKey } from "./city-name.ts";
import { isStateCode, stateCodes } from "./states.ts";
import type { ZipTable } from "./zip.ts";
import type { ZipRow } from "./zip-rows.ts";

/**
 * The shipped table is two texts. `areas`: a line per three-digit area and state, with a bit for each of the hundred
 * endings (`063 CT 9f…`, `063 NY 00…`: an area shared by two states has two lines). `cities`: a line per area, then one
 * wherever the city changes (`01 HOLTSVILLE` applies until the next line).
 */
export function zipTable(areas: string, cities: () => string, corrections: readonly ZipRow[]): ZipTable {
  /** 0 for a ZIP code that does not exist, else one more than the index in `stateCodes`. */
  const state_of = new Uint8Array(100_000);
  for (const line of dataLines(areas)) readArea(line, state_of);
  for (const { zip5, state } of corrections) state_of[Number(zip5)] = stateCodes.indexOf(state) + 1;

  // Cities are needed only for suggestions and the city check. Loads them, and the index from city to ZIP codes, on
  // first use.
  const names = once(() => readCities(cities(), state_of, corrections));
  const zipsByKey = once(() => indexByKey(names()));

  const stateAt = (zip: number): string | null => stateCodes[(state_of[zip] as number) - 1] ?? null;

  return {
    stateOf: (zip5) => (/^\d{5}$/.test(zip5) ? stateAt(Number(zip5)) : null),
    cityOf(zip5) {
      const { city_of, city_names } = names();
      return /^\d{5}$/.test(zip5) ? (city_names[city_of[Number(zip5)] as number] ?? null) : null;
    },
    areasOf(state, city_key) {
      const same = zipsByKey().get(city_key) ?? [];
      return new Set(same.filter((zip) => stateAt(zip) === state).map((zip) => Math.floor(zip / 100)));
    },
  };
}

/** The two texts of the shipped table. */
export function writeZipTable(rows: readonly ZipRow[]): { areas: string; cities: string } {
  const bits = new Map<string, number[]>();
  const cities: string[] = [];
  let area = "";
  let city = "";
  for (const row of rows) {
    const ending = Number(row.zip5.slice(3));
    const key = `${row.zip5.slice(0, 3)} ${row.state}`;
    const digits = bits.get(key) ?? Array.from({ length: 25 }, () => 0);
    digits[Math.floor(ending / 4)]! |= 8 >> (ending % 4);
    bits.set(key, digits);
    if (!row.zip5.startsWith(area) || area === "") {
      area = row.zip5.slice(0, 3);
      cities.push(area);
      city = "";
    }
    if (row.city !== city) cities.push(`${row.zip5.slice(3)} ${row.city}`);
    city = row.city;
  }
  const areas = [...bits].map(([key, digits]) => `${key} ${digits.map((digit) => digit.toString(16)).join("")}`);
  return { areas: `${areas.join("\n")}\n`, cities: `${cities.join("\n")}\n` };
}

interface CityNames {
  /** By ZIP code: the index in `city_names`; 0 for none. */
  city_of: Uint16Array;
  city_names: (string | null)[];
}

class BrokenZipTable extends Error {}

const dataLines = (text: string): string[] => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

function readArea(line: string, state_of: Uint8Array) {
  const [, area, state, digits] = /^(\d{3}) ([A-Z]{2}) ([0-9a-f]{25})$/.exec(line) ?? [];
  if (state === undefined || digits === undefined || !isStateCode(state)) {
    throw new BrokenZipTable("the ZIP code table is damaged; reinstall the package");
  }
  const code = stateCodes.indexOf(state) + 1;
  for (let ending = 0; ending < 100; ending++) {
    const set = Number.parseInt(digits[Math.floor(ending / 4)] as string, 16) & (8 >> (ending % 4));
    if (set !== 0) state_of[Number(area) * 100 + ending] = code;
  }
}

function readCities(text: string, state_of: Uint8Array, corrections: readonly ZipRow[]): CityNames {
  const city_of = new Uint16Array(100_000);
  const city_names: (string | null)[] = [null];
  const places = new Map<string, number>();
  const placeOf = (name: string): number => {
    const place = places.get(name) ?? city_names.push(name) - 1;
    places.set(name, place);
    return place;
  };
  // Sets the city of every existing ZIP code from one line to the next.
  let [from, place] = [0, 0];
  const fillTo = (end: number) => {
    for (let zip = from; zip < end; zip++) if (state_of[zip] !== 0) city_of[zip] = place;
  };
  let area = 0;
  for (const line of dataLines(text)) {
    const at = line.length === 3 ? Number(line) * 100 : area + Number(line.slice(0, 2));
    fillTo(at);
    if (line.length === 3) area = at;
    [from, place] = [at, line.length === 3 ? 0 : placeOf(line.slice(3))];
  }
  fillTo(city_of.length);
  for (const { zip5, city } of corrections) city_of[Number(zip5)] = placeOf(city);
  return { city_of, city_names };
}

function indexByKey({ city_of, city_names }: CityNames): Map<string, number[]> {
  const zips_by_key = new Map<string, number[]>();
  const zips_of_place = city_names.map((name) => {
    const key = cityKey(name ?? "");
    const zips = zips_by_key.get(key) ?? [];
    zips_by_key.set(key, zips);
    return zips;
  });
  for (const [zip, place] of city_of.entries()) if (place !== 0) zips_of_place[place]?.push(zip);
  return zips_by_key;
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
