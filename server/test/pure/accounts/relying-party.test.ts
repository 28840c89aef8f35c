import { expect, test } from "vitest";
import { relyingPartyOf } from "../../../src/domain/accounts/relying-party.ts";

test.each([
  ["https://pestle.larkspur.example", "pestle.larkspur.example", "https://pestle.larkspur.example"],
  ["https://pestle.larkspur.example:8443/", "pestle.larkspur.example", "https://pestle.larkspur.example:8443"],
  ["http://localhost:8080", "localhost", "http://localhost:8080"],
  // Browsers refuse addresses, but the same service answers to its name.
  ["http://127.0.0.1:8080", "localhost", "http://localhost:8080"],
  ["http://[::1]:8080", "localhost", "http://localhost:8080"],
])("%s keeps passkeys for %s", (base_url, rp_id, origin) => {
  expect(relyingPartyOf(base_url)).toEqual({ rp_id, origin });
});

test.each(["http://pestle.larkspur.example", "https://192.0.2.7", "https://[2001:db8::7]", ""])(
  "%s allows no passkeys, because browsers need HTTPS and a host name",
  (base_url) => {
    expect(relyingPartyOf(base_url)).toBeNull();
  },
);
