import type { XmlElement } from "./xml.ts";

/** The versions we write. The reader accepts any mixture of them. */
export const scriptVersions = ["10.6", "2017071", "2023011"] as const;
export type ScriptVersion = (typeof scriptVersions)[number];

export type VersionRead = { version: ScriptVersion | null; doubt: "version_missing" | "version_unknown" | null };

/**
 * The version a message declares. Neighboring versions (10.10, 2019071, 2024011 …) differ little in what a prescription
 * needs, so we read them with a warning. Null: another standard, which we refuse.
 */
export function versionOf(message: XmlElement): VersionRead | null {
  const domain = message.attributes["TransactionDomain"];
  if (domain !== undefined && domain.toUpperCase() !== "SCRIPT") return null;
  const named = nameOf(message);
  if (named === null) return { version: null, doubt: "version_missing" };
  const row = KNOWN.find(([pattern]) => pattern.test(named));
  return row === undefined ? null : { version: row[1], doubt: row[2] };
}

const KNOWN: readonly [RegExp, ScriptVersion, VersionRead["doubt"]][] = [
  [/^0?10[.]?0{0,2}6$/, "10.6", null],
  [/^0?10[.]?0?(0?\d|1[0-2])$/, "10.6", "version_unknown"],
  [/^2017071\d?$/, "2017071", null],
  [/^(2023011|2022071)\d?$/, "2023011", null],
  [/^20(1[2-9]|2[01])\d{3,4}$/, "2017071", "version_unknown"],
  [/^20[2-9]\d{4,5}$/, "2023011", "version_unknown"],
];

/** Omits ECLVersion, which is the version of the code lists. */
const ATTRIBUTES = ["TransactionVersion", "StructuresVersion", "TransportVersion", "DatatypesVersion"];

function nameOf({ attributes }: XmlElement): string | null {
  for (const name of ATTRIBUTES) if (attributes[name] !== undefined) return attributes[name];
  const version = attributes["version"] ?? attributes["Version"];
  const release = attributes["release"] ?? attributes["Release"];
  return version === undefined ? null : `${version}${/^\d{3}$/.test(version) ? (release ?? "") : ""}`;
}
