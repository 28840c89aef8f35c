import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PREPARED_PLACE } from "../../../chaos/data-folder.ts";
import { memoryFolder } from "../../../scripts/memory-folder.ts";

/** The place for the folder that services of this run copy. The first that needs it makes it. */
export default function openPreparedPlace(): () => void {
  const place = mkdtempSync(join(memoryFolder(), "pestle-prepared-"));
  // The database's user passes through it when tests run as root.
  chmodSync(place, 0o711);
  process.env[PREPARED_PLACE] = place;
  return () => rmSync(place, { recursive: true, force: true });
}
