import { mutateFhir } from "../server/test/support/samples/fhir-mutations.ts";
import { mutate } from "../server/test/support/samples/script-mutations.ts";

/** One message in four is FHIR. */
const FHIR_EVERY = 4;

/** A damaged message. The same seed gives the same damage. */
export function mutated(seed: number): { format: "script" | "fhir"; body: Uint8Array } {
  return seed % FHIR_EVERY === 0
    ? { format: "fhir", body: mutateFhir(seed) }
    : { format: "script", body: mutate(seed) };
}

/** Gives the message its own id if it still has one. Otherwise all but the first would be duplicates. */
export function withOwnId(seed: number, { format, body }: ReturnType<typeof mutated>): Uint8Array {
  const text = Buffer.from(body).toString("latin1");
  const own =
    format === "fhir"
      ? text.replaceAll("m-20261102-01", `m-${seed}`)
      : text.replace(/(<(?:\w+:)?MessageID[^<>]*>)[^<>]+/, `$1M-${seed}`);
  return Buffer.from(own, "latin1");
}
