import {
  type PatientSafety,
  type SafetyEntry,
  type SafetyKind,
  type SafetyLists,
  type SafetySource,
  type SafetyStatus,
  safetyKindNames,
  safetyKinds,
} from "@pestle/contract";
import { saysNone } from "./none-words.ts";

/**
 * The allergies, medications and conditions in a patient's record, with their sources and history (ADR 0031). The three
 * lists repeat the texts of the current entries: the safety checks read them, and so does version 0.1.0, which can run
 * beside this one during an upgrade.
 */
export type SafetyRecord = SafetyLists & {
  /** Oldest first. Removed entries stay, with the reason. */
  entries: StoredEntry[];
  /** IDs are never reused for another entry of this patient. */
  next_entry_id: number;
  /** Who stated that there are none. Absent once an entry of the kind is recorded. */
  none_known: { [Kind in SafetyKind]?: { by: SafetySource; at: string } };
};
type StoredEntry = SafetyEntry & { removed?: EntryRemoval };
export type EntryRemoval = { at: string; by: SafetySource; reason: string };

/** Who states a fact, and when. */
export type Told = { source: SafetySource; at: Date };

/** Limits the size of a record, which is always read and encrypted as a whole. Removed entries count. */
export const MOST_ENTRIES = 500;
/** A prescriber's system can send any length. Partners and staff have shorter limits. */
export const LONGEST_ENTRY = 500;
export const NO_ROOM = "The patient has the maximum number of entries of this kind. Ask the pharmacy.";

export const emptySafety: SafetyRecord = {
  medications: [],
  health_conditions: [],
  allergies: [],
  entries: [],
  next_entry_id: 1,
  none_known: {},
};

/**
 * Completes a record of version 0.1.0, which has the three lists only: each text becomes an entry of the partner, without
 * a time. Numbers follow the order of the lists, so every reader of the same record assigns the same ones. Texts that
 * version 0.1.0 added beside this version become entries too, and no entry disappears.
 */
export function upgradedSafety(stored: SafetyLists & Partial<SafetyRecord>): SafetyRecord {
  const safety = { ...emptySafety, ...stored };
  const known = new Set(currentEntries(safety).map(({ kind, text }) => factKey(kind, text)));
  const found = safetyKindNames.flatMap((kind) =>
    stored[safetyKinds[kind].list]
      .filter((text) => !known.has(factKey(kind, text)))
      .map((text) => ({ kind, text, source: "partner" as const, recorded_at: null })),
  );
  if (found.length === 0) return safety;
  return settled({
    ...safety,
    entries: [
      ...safety.entries,
      ...found.map((entry, index) => ({ entry_id: safety.next_entry_id + index, ...entry })),
    ],
    next_entry_id: safety.next_entry_id + found.length,
  });
}

/**
 * Adds what the lists say. An empty list states that there are none: it counts only where nothing is on file. No list
 * removes an entry. `full` names the lists of which a text did not fit; the record has the rest.
 */
export function withLists(
  safety: SafetyRecord,
  sent: Partial<SafetyLists>,
  told: Told,
): { safety: SafetyRecord; full: (keyof SafetyLists)[] } {
  let after = safety;
  const full: (keyof SafetyLists)[] = [];
  for (const kind of safetyKindNames) {
    const { list } = safetyKinds[kind];
    const texts = sent[list];
    if (texts === undefined) continue;
    const added =
      texts.length === 0 ? { safety: withNone(after, kind, told), fits: true } : withTexts(after, kind, texts, told);
    after = added.safety;
    if (!added.fits) full.push(list);
  }
  return { safety: after, full };
}

/** States that there are none of a kind. Changes nothing if an entry is on file. */
export function withNone(safety: SafetyRecord, kind: SafetyKind, { source, at }: Told): SafetyRecord {
  const said = safety.none_known[kind];
  const is_new = said === undefined || outranks(source, said.by);
  if (!is_new || currentEntries(safety, kind).length > 0) return safety;
  return { ...safety, none_known: { ...safety.none_known, [kind]: { by: source, at: at.toISOString() } } };
}

/**
 * Adds the texts that are not on file, compared without case. A prescriber or pharmacy that repeats a partner's entry
 * becomes its source, so that the partner can no longer remove it. Adds as much as fits: `fits` is false if a text was
 * shortened or left out.
 */
export function withTexts(
  safety: SafetyRecord,
  kind: SafetyKind,
  texts: readonly string[],
  { source, at }: Told,
): { safety: SafetyRecord; fits: boolean } {
  const entries = [...safety.entries];
  const places = new Map<string, number>();
  entries.forEach((entry, place) => {
    if (entry.kind === kind && isCurrent(entry)) places.set(entry.text.toLowerCase(), place);
  });
  let { next_entry_id } = safety;
  let room = MOST_ENTRIES - entries.filter((entry) => entry.kind === kind).length;
  let fits = true;
  for (const sent of texts) {
    const text = shortened(sent);
    if (text !== sent) fits = false;
    const place = places.get(text.toLowerCase());
    const known = place === undefined ? undefined : entries[place]!;
    if (known !== undefined) {
      if (outranks(source, known.source)) entries[place!] = { ...known, source };
    } else if (room === 0) fits = false;
    else {
      places.set(text.toLowerCase(), entries.length);
      entries.push({ entry_id: next_entry_id++, kind, text, source, recorded_at: at.toISOString() });
      room--;
    }
  }
  return { safety: settled({ ...safety, entries, next_entry_id }), fits };
}

/** Keeps the entry with the reason. Undefined if there is no such entry. Removing it again changes nothing. */
export function withoutEntry(safety: SafetyRecord, entry_id: number, removed: EntryRemoval): SafetyRecord | undefined {
  const entry = safety.entries.find((one) => one.entry_id === entry_id);
  if (entry === undefined || !isCurrent(entry)) return entry && safety;
  return settled({ ...safety, entries: safety.entries.map((one) => (one === entry ? { ...one, removed } : one)) });
}

/** The facts as partners see them: the current entries. */
export function safetyAnswer(safety: SafetyRecord): PatientSafety {
  const { medications, health_conditions, allergies } = safety;
  const status = safetyStatuses(safety);
  return {
    medications,
    health_conditions,
    allergies,
    allergies_status: status.allergy,
    medications_status: status.medication,
    conditions_status: status.condition,
    entries: currentEntries(safety),
  };
}

export const safetyStatuses = (safety: SafetyRecord): Record<SafetyKind, SafetyStatus> => ({
  allergy: statusOf(safety, "allergy"),
  medication: statusOf(safety, "medication"),
  condition: statusOf(safety, "condition"),
});

function statusOf(safety: SafetyRecord, kind: SafetyKind): SafetyStatus {
  const current = currentEntries(safety, kind);
  if (current.some(({ text }) => !saysNone(kind, text))) return "listed";
  return current.length > 0 || safety.none_known[kind] !== undefined ? "none_known" : "not_asked";
}

/** For the pharmacist: the entries that were removed, with the reason of each. */
export const removedEntries = (safety: SafetyRecord): (SafetyEntry & { removed: EntryRemoval })[] =>
  safety.entries.flatMap(({ removed, ...entry }) => (removed === undefined ? [] : [{ ...entry, removed }]));

/** Whether the safety checks can decide differently now: an entry was added or removed. */
export function safetyFactsChanged(before: SafetyLists, after: SafetyLists): boolean {
  const facts = (lists: SafetyLists) =>
    safetyKindNames.map((kind) => lists[safetyKinds[kind].list].map((text) => factKey(kind, text)).sort());
  return JSON.stringify(facts(before)) !== JSON.stringify(facts(after));
}

const isCurrent = ({ removed }: StoredEntry) => removed === undefined;

const currentEntries = (safety: SafetyRecord, kind?: SafetyKind): StoredEntry[] =>
  safety.entries.filter((entry) => isCurrent(entry) && (kind === undefined || entry.kind === kind));

const factKey = (kind: SafetyKind, text: string) => `${kind} ${text.toLowerCase()}`;

/** The prescriber and the pharmacy are responsible for what they state. A partner passes on what the patient says. */
const outranks = (source: SafetySource, other: SafetySource) => other === "partner" && source !== "partner";

/** Without half of a surrogate pair at the cut. */
const shortened = (text: string) =>
  text.length <= LONGEST_ENTRY ? text : `${text.slice(0, LONGEST_ENTRY - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;

/** Repeats the current entries in the three lists. An entry contradicts an earlier "none known". */
function settled(safety: SafetyRecord): SafetyRecord {
  const lists = safetyKindNames.map((kind) => [
    safetyKinds[kind].list,
    currentEntries(safety, kind).map(({ text }) => text),
  ]);
  const none_known = Object.fromEntries(
    Object.entries(safety.none_known).filter(([kind]) => currentEntries(safety, kind as SafetyKind).length === 0),
  );
  return { ...safety, ...(Object.fromEntries(lists) as SafetyLists), none_known };
}
