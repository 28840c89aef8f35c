import type { Warning } from "../../domain/intake/incoming-message.ts";
import type { WarningCode } from "../../domain/intake/intake-warnings.ts";
import { isPresent, one } from "./elements.ts";
import type { Resource, Scope } from "./resolve.ts";

/** The message and its warnings, passed to every part of the reader. */
export interface Reading {
  scope: Scope;
  /** The day the message was sent, YYYY-MM-DD; null if unknown. Periods that ended before it are over. */
  sent_on: string | null;
  /** Paths are FHIRPath element names without indexes, because order has no meaning in a message. */
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

/** Follows a reference and warns if it does not resolve. */
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
