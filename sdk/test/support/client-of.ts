import type { TestApp } from "../../../server/test/support/test-app.ts";
import { createPestle, type PestleOptions } from "../../src/index.ts";

/** Options for the demo partner with that index (0 and 1: sandbox, 2: production). */
export function optionsOf(app: TestApp, partner = 0): PestleOptions {
  const { client_id, client_secret, environment } = app.demo.partners[partner]!;
  const { base_url, auth_url, sandbox_auth_url } = app.addresses;
  return { client_id, client_secret, base_url, auth_url: environment === "sandbox" ? sandbox_auth_url : auth_url };
}

export const clientOf = (app: TestApp, partner = 0, options: Partial<PestleOptions> = {}) =>
  createPestle({ ...optionsOf(app, partner), ...options });
