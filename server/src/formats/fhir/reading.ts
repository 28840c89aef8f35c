import type { Warning } from "../../domain/intake/incoming-message.ts";
import type { WarningCode } from "../../domain/intake/intake-warnings.ts";
import { isPresent, one } from "./elements.ts";
import type { Resource, Scope } from "./resolve.ts";

/** What every part of the reader is given: the message, and where to put its doubts. */
export interface Reading {
  scope: Scope;
  /** The day the message was sent, YYYY-MM-DD; what ended before it is of the past. Null: not known. */
  sent_on: string | null;
  /** Paths are FHIRPath by element names, without positions: the order of a message says nothing. */
  warn(code: WarningCode, path: string): void;
}

export function warningList(): { warnings: Warning[]; warn: Reading["warn"] } {
  const warnings: Warning[] = [];
  return {
    warnings,
    warn(code, path) {
      if (!warnings.some((known) => known.code === code && known.path === path)) warnings.push({ code, path });
    },
  };
}

/** Follows a reference and says so when it leads nowhere. */
export function follow(
  reading: Reading,
  from: Resource,
  reference: unknown,
  types: readonly string[],
  path: string,
): Resource | null {
  if (!isPresent(reference)) return null;
  const found = reading.scope.resolve(reference, from, types);
  if (found === null && isPresent(one(reference).reference)) reading.warn("reference_unresolved", path);
  return found;
}
