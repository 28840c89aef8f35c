import { createHash } from "node:crypto";
import type { Address } from "@pestle/contract";
import type { Verdict } from "../../../domain/values/address/verdict.ts";
import { judgeVerified, type Verification } from "../../../domain/values/address/verified-address.ts";
import { BoundedMap } from "../../../domain/values/bounded-map.ts";
import { fields, list, optional, unexpected } from "../../carriers/easypost/read-answers.ts";
import { type ProviderClient, ProviderUnavailable } from "../../providers/provider-client.ts";
import type { AddressValidator } from "../address-validator.ts";

/** A dry run, its order and a look at the held order ask about the same address within minutes. */
const KEPT_MS = 15 * 60_000;
const BOUNDS = { entries: 5_000, bytes: 8 * 1024 * 1024, bytesOf: () => 600 };

/**
 * The tables first: they cost nothing, and what they reject EasyPost would reject too. Then EasyPost's verification. If
 * EasyPost does not answer in time, the verdict of the tables counts and says so.
 */
export function easypostAddresses(
  client: ProviderClient,
  tables: { validate(address: Address): Verdict },
  now: () => number,
): AddressValidator {
  const kept = new BoundedMap<{ verification: Verification; until_ms: number }>(BOUNDS);

  async function verify(address: Address): Promise<Verification> {
    const { street1, street2, city, state, zip } = address;
    const place = { street1, ...(street2 !== null && { street2 }), city, state, zip, country: "US" };
    // The address itself stays out of memory.
    const key = createHash("sha256").update(JSON.stringify(place)).digest("base64");
    const known = kept.get(key);
    if (known !== undefined && known.until_ms > now()) return known.verification;
    const json = { address: place, verify: true };
    const answer = await client.call({ method: "POST", path: "/v2/addresses", json, what: "verify address" });
    if (answer.status >= 300) throw new ProviderUnavailable("easypost", `http_${answer.status}`);
    const verification = readVerification(answer.body);
    kept.set(key, { verification, until_ms: now() + KEPT_MS });
    return verification;
  }

  return {
    byTables: (address) => tables.validate(address),
    validate(address) {
      const verdict = tables.validate(address);
      if (verdict.result !== "valid") return verdict;
      return verify(address)
        .then((found) => judgeVerified(address, verdict, found))
        .catch((error: unknown) => {
          if (error instanceof ProviderUnavailable) return { ...verdict, unverified: true as const };
          throw error;
        });
    },
  };
}

/** Reads an address with its verification, or throws. */
export function readVerification(body: unknown): Verification {
  const it = fields(body);
  const delivery = fields(fields(it["verifications"])["delivery"]);
  const codes = list(delivery["errors"] ?? []).flatMap((error) => optional(fields(error)["code"]) ?? []);
  if (typeof delivery["success"] !== "boolean") throw unexpected();
  const [street1, city, state, zip] = ["street1", "city", "state", "zip"].map((name) => optional(it[name]));
  const whole = street1 != null && city != null && state != null && zip != null;
  return {
    deliverable: delivery["success"],
    codes,
    found: delivery["success"] && whole ? { street1, street2: optional(it["street2"]), city, state, zip } : null,
  };
}
