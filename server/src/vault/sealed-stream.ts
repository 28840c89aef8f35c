import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

/**
 * Encrypts a stream in chunks of 64 KiB with AES-256-GCM (the STREAM construction of Hoang, Reyhanitabar, Rogaway and
 * Vizár, as age uses it). The nonce is the chunk's number and a byte that marks the last chunk, so that a chunk that was
 * moved, repeated, dropped or cut off does not decrypt. The key is used for one stream only, and it is derived from the
 * unencrypted bytes before the stream, so that those cannot be altered either.
 */
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;

/** A chunk does not decrypt: the stream was altered or cut off, or the key is another one. */
export class BrokenStream extends Error {}

export const streamKey = (secret: Buffer, clear_start: Buffer) =>
  Buffer.from(hkdfSync("sha256", secret, clear_start, "pestle sealed stream", 32));

export async function* sealStream(key: Buffer, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const { chunk, last } of chunks(source, CHUNK_BYTES)) {
    const cipher = createCipheriv("aes-256-gcm", key, nonce(number++, last));
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Yields only authenticated bytes. Throws `BrokenStream` at the first chunk that does not decrypt. */
export async function* openStream(key: Buffer, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const { chunk, last } of chunks(source, CHUNK_BYTES + TAG_BYTES)) {
    if (chunk.length < TAG_BYTES) throw new BrokenStream();
    const decipher = createDecipheriv("aes-256-gcm", key, nonce(number++, last));
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES));
    const plain = decipher.update(chunk.subarray(0, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      throw new BrokenStream();
    }
    yield plain;
  }
}

function nonce(number: number, last: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(number, 5, 6);
  bytes[11] = last ? 1 : 0;
  return bytes;
}

/** Chunks of exactly this size; only the last one may be shorter. An empty source has one empty chunk. */
async function* chunks(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<{ chunk: Buffer; last: boolean }> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of source) {
    parts.push(part);
    length += part.length;
    // Strictly more than one chunk, because a chunk that ends with the source is the last one.
    if (length <= size) continue;
    const whole = Buffer.concat(parts);
    let from = 0;
    for (; whole.length - from > size; from += size) yield { chunk: whole.subarray(from, from + size), last: false };
    parts = [whole.subarray(from)];
    length = whole.length - from;
  }
  yield { chunk: Buffer.concat(parts), last: true };
}
