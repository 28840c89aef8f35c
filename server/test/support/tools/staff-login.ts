import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { hashPassword } from "../../../src/vault/password-hash.ts";
import { TEST_PASSWORD_COST, type TestApp } from "../test-app.ts";
import { licenseFor } from "../web.ts";
import { runCli } from "./run-cli.ts";

const PASSWORD = "a long enough password";

/** Signs a person in at the command line, with the password from a pipe. `env` names the configuration folder. */
async function loginStaff(env: Record<string, string>, person: { email: string; password: string }) {
  const { code, stderr } = await runCli(
    ["user", "login", "--email", person.email, "--password-stdin"],
    // Without a demo, a second factor is required unless set otherwise.
    { SECOND_FACTOR: "offered", ...env },
    `${person.password}\n`,
  );
  if (code !== 0) throw new Error(stderr);
}

/** Creates people of the pharmacy and signs them in at the command line. Pharmacists and leads are licensed. */
export async function staffAtCli(
  { deps }: Pick<TestApp, "deps">,
  env: Record<string, string>,
  roles: Record<string, string>,
): Promise<void> {
  const password_hash = hashPassword(PASSWORD, TEST_PASSWORD_COST);
  await deps.db.transaction(async (tx) => {
    for (const [email, role] of Object.entries(roles)) {
      const person = { email, name: role, role, partner_id: null, password_hash, ...licenseFor(role) };
      await createPerson(tx, person, deps.now());
    }
  });
  for (const email of Object.keys(roles)) await loginStaff(env, { email, password: PASSWORD });
}
