import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Sequence } from "./db/operations/backup.ts";
import { KeyServiceTrouble } from "./vault/key-service.ts";
import type { MasterKey } from "./vault/master-key.ts";
import { BrokenStream, openStream, sealStream, streamKey } from "./vault/sealed-stream.ts";
import { newDataKey } from "./vault/vault.ts";

/**
 * A backup is one line of JSON in clear (`Envelope`) and an encrypted stream (ADR 0033). The stream is gzipped lines: a
 * header, `{"t":table,"r":row}` per row, `{"s":sequence}` per sequence, and a trailer with the row count per table and
 * the SHA-256 of all lines before it. A truncated or altered file is refused. A file of 0.1.0 is the gzipped lines alone.
 */
type Envelope = {
  format: "pestle-backup";
  version: 2;
  created_at: string;
  /** The master key that wraps the key of this file. */
  master_key_fingerprint: string;
  /** Base64. */
  wrapped_key: string;
};

export type BackupHeader = {
  format: "pestle-backup";
  version: 1;
  schema_version: number;
  migrations: { version: number; checksum: string }[];
  created_at: string;
  /** The fingerprint of the key that wraps the data keys; null if there was none yet. */
  master_key_fingerprint: string | null;
  /** In the order in which they can be restored. */
  tables: string[];
};
type Trailer = { rows: Record<string, number>; sha256: string };

/** `rows` are JSON strings, never parsed here because numbers would lose digits. */
export type BackupPart =
  | { kind: "header"; header: BackupHeader }
  | { kind: "rows"; table: string; rows: string[] }
  | { kind: "sequence"; sequence: Sequence };

/** A file that cannot be restored. The operator sees the message as one line. */
export class BadBackup extends Error {}

const MOST_ROWS = 1_000;
/** Far below the limit of one jsonb value. */
const MOST_CHARACTERS = 8_000_000;
const KEY_NAME = "backup";
const GZIP = Buffer.from([0x1f, 0x8b]);
/** A file without a line end in its first bytes is not a backup. */
const MOST_ENVELOPE_BYTES = 64 * 1024;
const DAMAGED = "The backup is truncated or altered. Nothing changed. Use another file.";

/** Writes to a temporary name and renames it, so that the file is always complete. Returns the rows per table. */
export async function writeBackupFile(
  file: string,
  master: MasterKey,
  parts: AsyncIterable<BackupPart>,
  now: Date,
): Promise<Record<string, number>> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const counts: Record<string, number> = {};
  const sha256 = createHash("sha256");
  async function* text() {
    for await (const part of parts) {
      if (part.kind === "rows") counts[part.table] = (counts[part.table] ?? 0) + part.rows.length;
      const bytes = Buffer.from(linesOf(part));
      sha256.update(bytes);
      yield bytes;
    }
    const trailer: Trailer = { rows: counts, sha256: sha256.digest("hex") };
    yield Buffer.from(`${JSON.stringify(trailer)}\n`);
  }
  const file_key = newDataKey();
  const envelope: Envelope = {
    format: "pestle-backup",
    version: 2,
    created_at: now.toISOString(),
    master_key_fingerprint: master.fingerprint,
    wrapped_key: (await master.wrap(file_key, KEY_NAME)).toString("base64"),
  };
  const clear_start = Buffer.from(`${JSON.stringify(envelope)}\n`);
  async function* sealed(zipped: AsyncIterable<Buffer>) {
    yield clear_start;
    yield* sealStream(streamKey(file_key, clear_start), zipped);
  }
  try {
    await pipeline(
      Readable.from(text()),
      createGzip(),
      sealed,
      createWriteStream(draft, { mode: 0o600, flags: "wx", flush: true }),
    );
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw fileTrouble(error, "written", "Give a file in an existing, writable folder with free space.");
  }
  return counts;
}

/** Reads the parts, and throws at the end unless the trailer matches. The caller must be able to roll back. */
export async function* readBackupFile(file: string, masterKeys: readonly MasterKey[]): AsyncGenerator<BackupPart> {
  const sha256 = createHash("sha256");
  const counts: Record<string, number> = {};
  let header: BackupHeader | undefined;
  let trailer: Trailer | undefined;
  let pending = { kind: "rows" as const, table: "", rows: [] as string[] };
  let characters = 0;
  for await (const bytes of unzippedLines(file, masterKeys)) {
    const line = bytes.toString("utf8");
    if (header === undefined) {
      header = parseHeader(line);
      yield { kind: "header", header };
    } else if (trailer !== undefined) {
      throw new BadBackup(DAMAGED);
    } else {
      const [, name, row] = /^\{"t":("(?:[^"\\]|\\.)*"),"r":(\{.*\})\}$/s.exec(line) ?? [];
      const table = name === undefined ? "" : String(parse(name));
      if (table !== pending.table || pending.rows.length === MOST_ROWS || characters > MOST_CHARACTERS) {
        if (pending.rows.length > 0) yield pending;
        pending = { kind: "rows", table, rows: [] };
        characters = 0;
      }
      if (row !== undefined) {
        pending.rows.push(row);
        characters += row.length;
        counts[table] = (counts[table] ?? 0) + 1;
      } else if (line.startsWith('{"s":')) {
        yield { kind: "sequence", sequence: (parse(line) as { s: Sequence }).s };
      } else {
        trailer = parse(line) as Trailer;
        continue;
      }
    }
    sha256.update(bytes).update("\n");
  }
  const whole = trailer?.sha256 === sha256.digest("hex") && sameCounts(trailer.rows, counts);
  if (!whole) throw new BadBackup(DAMAGED);
}

const OF_A_FILE = /^E(NOENT|NOTDIR|ISDIR|ACCES|PERM|ROFS|NOSPC|DQUOT|FBIG|IO)$/;

/** Excludes database errors: a missing socket has the same code as a missing file. */
function fileTrouble(error: unknown, verb: "read" | "written", remedy: string): unknown {
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  if (!OF_A_FILE.test(code) || syscall === "connect") return error;
  return new BadBackup(`The file cannot be ${verb} (${code}). ${remedy}`);
}

function linesOf(part: BackupPart): string {
  if (part.kind === "header") return `${JSON.stringify(part.header)}\n`;
  if (part.kind === "sequence") return `${JSON.stringify({ s: part.sequence })}\n`;
  const start = `{"t":${JSON.stringify(part.table)},"r":`;
  return part.rows.map((row) => `${start}${row}}\n`).join("");
}

/** Splits only at line feeds: node:readline would also split at U+2028 inside a value. */
async function* unzippedLines(file: string, masterKeys: readonly MasterKey[]): AsyncGenerator<Buffer> {
  const source = createReadStream(file);
  const zipped = Readable.from(opened(source, masterKeys), { objectMode: false });
  const unzipped = createGunzip();
  zipped.on("error", (error) => unzipped.destroy(error));
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of zipped.pipe(unzipped) as AsyncIterable<Buffer>) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
        yield bytes.subarray(from, end);
        from = end + 1;
      }
      rest = bytes.subarray(from);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (code.startsWith("Z_") || error instanceof BrokenStream) throw new BadBackup(DAMAGED);
    throw fileTrouble(error, "read", "Give a file written by `pestle backup`.");
  } finally {
    source.destroy();
  }
  if (rest.length > 0) throw new BadBackup(DAMAGED);
}

/** The gzipped bytes: decrypted, or as they are in a file of 0.1.0. */
async function* opened(source: AsyncIterable<Buffer>, masterKeys: readonly MasterKey[]): AsyncGenerator<Buffer> {
  const bytes = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  let end = -1;
  while (end === -1 && start.length <= MOST_ENVELOPE_BYTES) {
    const { value, done } = await bytes.next();
    if (done) break;
    start = Buffer.concat([start, value]);
    if (start.subarray(0, GZIP.length).equals(GZIP)) {
      yield start;
      yield* { [Symbol.asyncIterator]: () => bytes };
      return;
    }
    end = start.indexOf(10);
  }
  const clear_start = start.subarray(0, end + 1);
  const envelope = parseEnvelope(clear_start);
  const file_key = await fileKey(envelope, masterKeys);
  async function* sealed() {
    yield start.subarray(end + 1);
    yield* { [Symbol.asyncIterator]: () => bytes };
  }
  yield* openStream(streamKey(file_key, clear_start), sealed());
}

function parseEnvelope(line: Buffer): Envelope {
  let envelope: Envelope | undefined;
  try {
    envelope = JSON.parse(line.toString("utf8")) as Envelope;
  } catch {}
  if (envelope?.format !== "pestle-backup") throw new BadBackup("The file is not a Pestle backup.");
  if (envelope.version !== 2) throw new BadBackup("A newer build wrote this backup. Run that build or a later one.");
  return envelope;
}

async function fileKey(
  { master_key_fingerprint: wanted, wrapped_key }: Envelope,
  masterKeys: readonly MasterKey[],
): Promise<Buffer> {
  const master = masterKeys.find(({ fingerprint }) => fingerprint === wanted);
  if (master === undefined) throw new BadBackup(otherMasterKey(String(wanted)));
  try {
    return await master.unwrap(Buffer.from(String(wrapped_key), "base64"), KEY_NAME);
  } catch (error) {
    if (error instanceof KeyServiceTrouble) throw error;
    throw new BadBackup(DAMAGED);
  }
}

export const otherMasterKey = (fingerprint: string) =>
  `The backup belongs to the master key with fingerprint ${fingerprint}, which is not yours. Nothing changed. Set MASTER_KEY to that key, or put its master.key into DATA_DIR.`;

function parseHeader(line: string): BackupHeader {
  const header = parse(line) as BackupHeader;
  if (header?.format !== "pestle-backup") throw new BadBackup("The file is not a Pestle backup.");
  if (header.version !== 1) throw new BadBackup("A newer build wrote this backup. Run that build or a later one.");
  return header;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadBackup(DAMAGED);
  }
}

function sameCounts(told: Record<string, number>, counted: Record<string, number>): boolean {
  const sorted = (counts: Record<string, number>) => JSON.stringify(Object.entries(counts).sort());
  return sorted(told) === sorted(counted);
}
