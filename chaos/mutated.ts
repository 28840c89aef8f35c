import { mutateFhir } from "../server/test/support/samples/fhir-mutations.ts";
import { mutate } from "../server/test/support/samples/script-mutations.ts";

/** Of four messages one is FHIR. */
const FHIR_EVERY = 4;

/** A message that something happened to: the same for the same seed. */
export function mutated(seed: number): { format: "script" | "fhir"; body: Uint8Array } {
  return seed % FHIR_EVERY === 0
    ? { format: "fhir", body: mutateFhir(seed) }
    : { format: "script", body: mutate(seed) };
}

/** The same under an id of its own, where it still has one: otherwise all but the first would find theirs taken. */
export function withOwnId(seed: number, { format, body }: ReturnType<typeof mutated>): Uint8Array {
  const text = Buffer.from(body).toString("latin1");
  const own =
    format === "fhir"
      ? text.replaceAll("m-20261102-01", `m-${seed}`)
      : text.replace(/(<(?:\w+:)?MessageID[^<>]*>)[^<>]+/, `$1M-${seed}`);
  return Buffer.from(own, "latin1");
}
