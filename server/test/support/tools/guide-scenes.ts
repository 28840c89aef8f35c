import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { hashPassword } from "../../../src/vault/password-hash.ts";
import { newOrder, placed } from "../orders.ts";
import { createTestDatabase, TEST_PASSWORD_COST, type TestApp } from "../test-app.ts";
import { licenseFor } from "../web.ts";

/** The preconditions of a guide, and the values of its placeholders in this service. */
export const guideScenes: Record<string, (app: TestApp) => Promise<Record<string, string>>> = {
  "docs/guides/first-prescription.md": async (app) => ({
    oivhqh30l1ya: accountOf(app),
    "861550274": await prescriptionId(app, 183_603),
  }),
  "docs/guides/catalogue.md": async (app) => ({ "3f9k2m8x1q7z": accountOf(app) }),
  "docs/guides/audit.md": async (app) => ({ "7K2M9XQ4TB": await anOrder(app), "3f9k2m8x1q7z": accountOf(app) }),
  "docs/certify.md": async () => ({ "http://127.0.0.1:3100": `http://127.0.0.1:${await freePort()}` }),
  "docs/guides/sandbox.md": async (app) => ({ "7K2M9XQ4TB": await anOrder(app) }),
  "docs/guides/deployment.md": async () => ({
    "postgresql://pestle:change-me@127.0.0.1:5432/restored": (await createTestDatabase("")).url,
  }),
  "docs/runbook.md": async (app) => {
    await people(app, { noor: "pharmacist", idris: "technician" });
    return { "7K2M9XQ4TB": await anOrder(app), "3f9k2m8x1q7z": accountOf(app) };
  },
};

/** A port for a program that the guide starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const accountOf = (app: TestApp): string => app.demo.partners[0]!.account_id;

/** The id of the prescription that takes this number of the counter. */
async function prescriptionId(app: TestApp, number: number): Promise<string> {
  const { rows } = await app.owner.raw("select scattered_id($1)::text as id", [number]);
  return String(rows[0]!["id"]);
}

/** An order of atorvastatin that waits for its review. */
async function anOrder(app: TestApp): Promise<string> {
  const { body } = await newOrder(app);
  return (await placed(app, body)).order_number;
}

/** People whose passwords are in the demo file, so that `pestle user login` in a guide does not ask. */
const people = (app: TestApp, roles: Record<string, string>): Promise<void> =>
  app.deps.db.transaction(async (tx) => {
    const password = "a long enough password";
    const password_hash = hashPassword(password, TEST_PASSWORD_COST);
    for (const [name, role] of Object.entries(roles)) {
      const email = `${name}@larkspur.example`;
      const person = { email, name, role, partner_id: null, password_hash, ...licenseFor(role) };
      await createPerson(tx, person, app.deps.now());
      app.demo.people.push({ email, password, name, role });
    }
  });
