import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ReadMessage } from "../../../src/domain/intake/incoming-message.ts";
import { intakeWarnings } from "../../../src/domain/intake/intake-warnings.ts";
import { findFields } from "../../../src/formats/script/explain.ts";
import { readScript } from "../../../src/formats/script/read.ts";
import { writeReply } from "../../../src/formats/script/reply.ts";
import { scriptVersions } from "../../../src/formats/script/version.ts";
import { writeScript } from "../../../src/formats/script/write.ts";
import { parseXml } from "../../../src/formats/script/xml.ts";
import { contents, envelopes, newPrescriptions } from "../../support/samples/script-arbitraries.ts";
import { mutate } from "../../support/samples/script-mutations.ts";
import {
  bytes,
  cancelRx,
  change,
  edit,
  envelope,
  newRx,
  renewal,
  sample,
  without,
} from "../../support/samples/script-samples.ts";
import { shapes } from "../../support/samples/script-shapes.ts";
import { rewrite } from "../../support/samples/script-variants.ts";
import { effort } from "../../support/tools/effort.ts";
import { quickest } from "../../support/tools/quickest.ts";

const RUNS = { seed: 20_261_115, numRuns: effort(500) };
const LIMIT_MS = 200;
const readingTime = (message: Uint8Array) => quickest(LIMIT_MS, () => readScript(message));
const contentOf = (text: string) => {
  const read = readScript(bytes(text));
  return read.ok ? read.message.content : read.refusal;
};

describe("any written message can be read", () => {
  test.each(scriptVersions)("%s: the reader returns what the writer was given", (version) => {
    fc.assert(
      fc.property(envelopes(version), contents, (given, content) => {
        const read = readScript(bytes(writeScript(given, content, version)));
        expect(read.ok && { envelope: read.message.envelope, content: read.message.content }).toEqual({
          envelope: given,
          content,
        });
      }),
      RUNS,
    );
  });

  const originals = [
    ...Object.values(shapes),
    ...scriptVersions.flatMap((version) =>
      [newRx, cancelRx, renewal, change].map((content) => writeScript(envelope(version), content, version)),
    ),
  ];
  const liberties = fc.record({
    shuffle: fc.boolean(),
    prefix: fc.constantFrom(null, "ns1", "script"),
    attributes: fc.boolean(),
    bare_dates: fc.boolean(),
    padding: fc.boolean(),
    wrapped: fc.boolean(),
  });
  const numbers = fc.infiniteStream(fc.nat());

  test("order, prefixes, attributes, bare dates, empty elements, comments and wrapping do not matter", () => {
    fc.assert(
      fc.property(fc.constantFrom(...originals), liberties, numbers, (original, taken, stream) => {
        const variant = rewrite(original, taken, () => stream.next().value as number);
        expect(contentOf(variant)).toEqual(contentOf(original));
      }),
      { ...RUNS, numRuns: effort(500) },
    );
  });

  test("nor do they for any other prescription", () => {
    fc.assert(
      fc.property(
        newPrescriptions,
        fc.constantFrom(...scriptVersions),
        liberties,
        numbers,
        (content, version, taken, stream) => {
          const original = writeScript(envelope(version), content, version);
          const variant = rewrite(original, { ...taken, padding: false }, () => stream.next().value as number);
          expect(contentOf(variant)).toEqual(content);
        },
      ),
      RUNS,
    );
  });
});

describe("any input", () => {
  /** Texts are trimmed and never empty, numbers are finite: the code behind the reader relies on it. */
  function faults(value: unknown, path = ""): string[] {
    if (typeof value === "string") return value === "" || value !== value.trim() || value.includes("\0") ? [path] : [];
    if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? [] : [path];
    if (typeof value !== "object" || value === null)
      return typeof value === "function" || value === undefined ? [path] : [];
    return Object.entries(value).flatMap(([key, inner]) => faults(inner, `${path}.${key}`));
  }

  const SPOILED = effort(2_000);
  test("damaged messages: none throws, none takes 200 ms, each is accepted completely or rejected with an answer", () => {
    const outcomes = { taken: 0, refused: 0 };
    for (let seed = 1; seed <= SPOILED; seed++) {
      const message = mutate(seed);
      const read: ReadMessage = readScript(message);
      expect(readingTime(message), `seed ${seed}`).toBeLessThan(LIMIT_MS);
      outcomes[read.ok ? "taken" : "refused"]++;
      expect(faults(read.ok ? read.message : read), `seed ${seed}`).toEqual([]);
      const reply = read.ok
        ? writeReply(read.message.envelope, { kind: "status", code: "010" }, { message_id: "1", sent_time: "2" })
        : writeReply(read.envelope, { kind: "error", refusal: read.refusal }, { message_id: "1", sent_time: "2" });
      expect(parseXml(bytes(reply)).ok, `seed ${seed}`).toBe(true);
    }
    // Both outcomes occur.
    expect(Math.min(outcomes.taken, outcomes.refused)).toBeGreaterThan(SPOILED / 5);
  });

  test("a mutation is the same each time", () => {
    expect(mutate(7)).toEqual(mutate(7));
    expect(mutate(7)).not.toEqual(mutate(8));
  });

  test("a text that keeps growing costs time in proportion to its length", () => {
    const long = ["x", " ", "1", "-", "a-", "1 ", "&amp;"].map((piece) => `1${piece.repeat(100_000)}1`);
    const leaves = [...new Set(sample.match(/<\w+>[^<]+</g))];
    for (const leaf of leaves) {
      for (const text of long) {
        const message = bytes(edit(sample, [leaf, `${leaf.slice(0, leaf.indexOf(">") + 1)}${text}<`]));
        expect(readingTime(message), leaf).toBeLessThan(LIMIT_MS);
      }
    }
  });
});

describe("at any number of repetitions", () => {
  const NODES = 19_000;
  const names = [...new Set(Array.from(sample.matchAll(/<(\w+)/g), ([, name]) => name as string))];
  test.each(names.filter((name) => name !== "Message"))("of %s, reading costs less than 200 ms", (name) => {
    const [element = ""] = new RegExp(`<${name}[ >].*?</${name}>`, "s").exec(sample) ?? [];
    const nodes = element.match(/<\w|="/g)?.length ?? 1;
    const times = Math.floor(Math.min(NODES / nodes, 1_000_000 / element.length));
    const message = bytes(edit(sample, [element, element.repeat(times)]));
    expect(readingTime(message)).toBeLessThan(LIMIT_MS);
  });
});

describe("an explanation", () => {
  test("shows every field with its path", () => {
    const { outcome, fields, missing } = findFields(bytes(sample));
    expect(outcome).toEqual(readScript(bytes(sample)));
    expect(missing).toEqual([]);
    expect(fields).toContainEqual({
      field: "patient.last_name",
      path: "Message/Body/NewRx/Patient/HumanPatient/Name/LastName",
      text: "Okonkwo-Reyes",
    });
    expect(fields).toContainEqual({ field: "envelope.to_qualifier", path: "Message/Header/To/@Qualifier", text: "P" });
    const said = JSON.stringify(fields.map(({ text }) => text));
    for (const text of ["FM1234563", "Take 1 tablet", "2027-11-10", "Penicillin V", "9165550161", "OG-31"]) {
      expect(said).toContain(text);
    }
  });

  test("numbers repeated elements, and names those that were ignored", () => {
    const twice = edit(sample, [
      "</NewRx>",
      "<Observation><Measurement>1</Measurement><Measurement>2</Measurement></Observation></NewRx>",
    ]);
    const { unread } = findFields(bytes(twice));
    expect(unread).toContain("Message/Body/NewRx/Observation/Measurement[1]");
    expect(unread).toContain("Message/Body/NewRx/Observation/Measurement[2]");
    expect(unread).not.toContain("Message/Body/NewRx/Patient/HumanPatient/Name/LastName");
  });

  test("says what is missing, where the reader looked and the effect", () => {
    const { outcome, missing } = findFields(bytes(without("Sig", without("DateOfBirth"))));
    expect(outcome).toMatchObject({ ok: true, message: { content: { prescription: { sig_text: null } } } });
    expect(missing).toEqual([
      {
        field: "patient.dob",
        path: "Patient/HumanPatient/DateOfBirth/Date",
        sentence: "The message has no date of birth.",
      },
      { field: "sig_text", path: "MedicationPrescribed/Sig/SigText", sentence: intakeWarnings.sig_missing },
    ]);
  });

  test("has nothing to show for an unreadable message", () => {
    expect(findFields(bytes("not XML"))).toMatchObject({ fields: [], missing: [], unread: [] });
    expect(findFields(bytes(edit(sample, [/<Message[^>]*>/, '<Message version="8.1">']))).missing).toEqual([]);
    expect(findFields(bytes(writeScript(envelope("10.6"), change, "10.6"))).missing).toEqual([]);
  });
});
