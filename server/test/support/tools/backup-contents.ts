import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { openStream, streamKey } from "../../../src/vault/sealed-stream.ts";

/** The lines inside an encrypted backup: what the owner of the master key can read in it. */
export async function backupLines(file: string, master_key: string): Promise<string[]> {
  const bytes = readFileSync(file);
  const end = bytes.indexOf(10) + 1;
  const { wrapped_key } = JSON.parse(bytes.subarray(0, end).toString("utf8")) as { wrapped_key: string };
  const file_key = await decodeMasterKey(master_key).unwrap(Buffer.from(wrapped_key, "base64"), "backup");
  async function* sealed() {
    yield bytes.subarray(end);
  }
  const zipped: Buffer[] = [];
  for await (const part of openStream(streamKey(file_key, bytes.subarray(0, end)), sealed())) zipped.push(part);
  return gunzipSync(Buffer.concat(zipped)).toString("utf8").split("\n");
}
