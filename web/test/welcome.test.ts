import { describe, expect, test } from "vitest";
import { firstCallCommands } from "../src/welcome/first-call-commands.ts";
import { serviceState } from "../src/welcome/service-state.ts";

describe("the welcome page", () => {
  test.each([
    [{ healthz: 200, readyz: 200 }, "ready"],
    [{ healthz: 200, readyz: 503 }, "starting"],
    [{ healthz: 200, readyz: null }, "starting"],
    [{ healthz: 503, readyz: 503 }, "unavailable"],
    [{ healthz: null, readyz: null }, "unavailable"],
  ] as const)("maps the probes %j to %s", (probes, state) => {
    expect(serviceState(probes)).toBe(state);
  });

  test("uses the token server of the chosen environment", () => {
    const addresses = {
      base_url: "https://api.test",
      auth_url: "https://auth.test",
      sandbox_auth_url: "https://box.test",
    };
    expect(firstCallCommands(addresses, "sandbox").token).toContain("https://box.test/oauth/token");
    expect(firstCallCommands(addresses, "production").token).toContain("https://auth.test/oauth/token");
    expect(firstCallCommands(addresses, "production").shipping_methods).toContain("https://api.test/shipping_methods");
  });
});
