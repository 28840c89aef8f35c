import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { setSsoProvider } from "../server/src/usecases/accounts/sso/manage-sso.ts";
import { type Journey, shot, startJourney, violations } from "./support/journey.ts";

let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
});
// An open page follows every change, also of later tests.
afterEach((after) => journey.closePages(after));
afterAll(() => journey?.stop());

/** A phone or a security key in software, with a fingerprint that always fits. */
async function plugIn(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
const giveName = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
};
const signOut = async (page: Page) => {
  await page.getByRole("button", { name: /your account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByLabel("Email").waitFor();
};

test("a user adds a passkey, signs in with it alone and as second factor, and with a recovery code", async () => {
  const who = await journey.person("technician", "Paula Key");
  const seen = await journey.openAs(who, "/dashboard/account", { host: "localhost" });
  const { page } = seen;
  await plugIn(page);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Work laptop");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-recovery-codes");
  const codes = (await page.locator("dialog code").first().textContent())!.trim().split(/\s+/);
  expect(codes).toHaveLength(10);
  await page.getByRole("button", { name: "I saved it" }).click();
  await page.getByRole("cell", { name: "Work laptop", exact: true }).waitFor();
  await page.getByText("You have 10 of 10 codes left.", { exact: false }).waitFor();
  expect(await violations(page)).toEqual([]);
  await shot(page, "dashboard-passkeys");

  await signOut(page);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "Your sign-in" }).waitFor();

  await signOut(page);
  await giveName(page, who);
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.getByRole("heading", { name: "Your sign-in" }).waitFor();

  await signOut(page);
  await giveName(page, who);
  await page.getByRole("textbox", { name: "Code" }).fill(codes[0]!);
  await page.keyboard.press("Enter");
  await page.getByText("You used a recovery code. 9 of 10 are left.").waitFor();
  await page.getByText("You have 9 of 10 codes left.", { exact: false }).waitFor();

  await page.getByRole("button", { name: "Rename Work laptop" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Old laptop");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove Old laptop" }).click();
  await page.getByRole("button", { name: "Remove the passkey" }).click();
  await page.getByText("With a passkey you sign in by", { exact: false }).waitFor();
  expect([seen.complaints, seen.foreign]).toEqual([[], []]);
});

test("a partner registers a public key for a credential and requires it", async () => {
  const { portal, client_id, client_secret } = journey.app.demo.partners[0]!;
  const { page, complaints } = await journey.openAs(portal, "/portal/sandbox/credentials");
  const open = async () => {
    await page
      .getByRole("button", { name: /Keys and limits/ })
      .first()
      .click();
    return page.getByRole("dialog");
  };
  const dialog = await open();
  expect(await dialog.getByRole("checkbox", { name: "Require a key" }).isDisabled()).toBe(true);
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const field = dialog.getByRole("textbox", { name: "New public key" });
  await field.fill(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  await dialog.getByRole("button", { name: "Register key" }).click();
  await dialog.getByText("private key", { exact: false }).last().waitFor();
  await field.fill(publicKey.export({ type: "spki", format: "pem" }).toString());
  await dialog.getByRole("button", { name: "Register key" }).click();
  await dialog.getByRole("list", { name: "Keys" }).getByText("never used", { exact: false }).waitFor();
  await dialog.getByRole("checkbox", { name: "Require a key" }).check();
  expect(await violations(page)).toEqual([]);
  await shot(page, "portal-credential-keys");
  await dialog.getByRole("button", { name: "Save limits" }).click();
  await page.getByText("Key required").waitFor();
  // The secret alone no longer gets a token.
  const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret });
  const token = () => fetch(`${journey.app.addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body });
  expect((await token()).status).toBe(401);
  await (await open()).getByRole("checkbox", { name: "Require a key" }).uncheck();
  await page.getByRole("button", { name: "Save limits" }).click();
  await page.getByText("Has a key").waitFor();
  expect((await token()).status).toBe(200);
  expect(complaints).toEqual([]);
});

test("the sign-in page sends staff to their provider, and says why a password is not enough", async () => {
  const provider = await startProvider();
  const { issuer } = provider;
  const { deps } = journey.app;
  const given = { issuer, client_id: "pestle", domains: ["people.example"], name: "Larkspur ID", sso_only: true };
  const who = await journey.person("technician", "Sasha Single");
  await deps.db.transaction((tx) => setSsoProvider(deps, tx, null, given, deps.now()));
  try {
    const { page } = await journey.open("/dashboard/queue/fill");
    await giveName(page, who);
    await page.getByText("Your organization requires single sign-on.", { exact: false }).waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, "dashboard-single-sign-on");
    await page.getByRole("button", { name: "Sign in with Larkspur ID" }).click();
    await page.getByText("This is the provider.").waitFor();
    const asked = new URL(page.url()).searchParams;
    expect([asked.get("client_id"), asked.get("code_challenge_method")]).toEqual(["pestle", "S256"]);
    // The provider refuses, and the page that the person wanted says so.
    const back = new URLSearchParams({ error: "access_denied", state: asked.get("state")!, iss: issuer });
    await page.goto(`${asked.get("redirect_uri")}?${back}`);
    await page.getByText("The sign-in service refused or could not be reached.", { exact: false }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/dashboard/queue/fill");
  } finally {
    await new Promise((resolve) => provider.server.close(resolve));
  }
});

/** As much of a provider as a browser sees before it signs in. */
async function startProvider(): Promise<{ issuer: string; server: Server }> {
  let issuer = "";
  const server = createServer((request, response) => {
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    };
    const found = request.url!.startsWith("/.well-known/openid-configuration");
    response.setHeader("content-type", found ? "application/json" : "text/html");
    response.setHeader("connection", "close");
    response.end(found ? JSON.stringify(metadata) : "<p>This is the provider.</p>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, server };
}
