import { portalRoleNames, staffRoleNames } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { findPartner } from "../../db/accounts/accounts.ts";
import { randomSecret } from "../../random.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { createPerson, hashPassword } from "../../usecases/accounts/create-person.ts";
import { transact } from "../../usecases/write.ts";
import { WrongUsage } from "../errors.ts";
import { facts, SHOWN_ONCE } from "../output.ts";
import type { CommandRow } from "../program.ts";
import { withSchema } from "../session.ts";
import { hasTerminal, promptNewPassword, readSecretFromStdin } from "./secret-input.ts";

type NewUserOptions = {
  email: string;
  name: string;
  role: string;
  partner?: string;
  passwordStdin?: boolean;
  generatePassword?: boolean;
};

export const userCommands: readonly CommandRow[] = [
  {
    name: "user create",
    summary: "create a user: pharmacy staff, or with --partner a partner's user",
    options: [
      ["--email <address>", "the user's email, used to sign in", { required: true }],
      ["--name <name>", "the user's name", { required: true }],
      ["--role <role>", "the user's role", { required: true, choices: [...staffRoleNames, ...portalRoleNames] }],
      ["--partner <name>", "the partner the user belongs to"],
      ["--password-stdin", "read the password from standard input"],
      ["--generate-password", "generate a password and show it once (default without a terminal)"],
    ],
    examples: [
      'user create --email noor@larkspur.example --name "Noor Haddad" --role pharmacist',
      'user create --email sam@willow.example --name "Sam Okafor" --role partner_admin --partner "Willow Telehealth"',
      "pestle user create --email ci@larkspur.example --name CI --role technician --password-stdin < password.txt",
    ],
    async run({ email, name, role, partner, ...source }: NewUserOptions, _argument, env) {
      const config = readConfig(env);
      const { password, generated } = await choosePassword(source);
      const password_hash = hashPassword(password);
      const person_id = await withSchema(config, ({ db, now }) =>
        transact({ db }, async (tx) => {
          const found = partner === undefined ? undefined : await findPartner(tx, partner);
          if (partner !== undefined && found === undefined) {
            throw new AdminRefusal(
              "There is no partner with that name. Run `pestle partner list` to see the partners.",
            );
          }
          return createPerson(tx, { email, name, role, partner_id: found?.partner_id ?? null, password_hash }, now);
        }),
      );
      const shown = generated ? { password } : {};
      const text = [facts({ person_id, email, role, ...shown }), ...(generated ? [SHOWN_ONCE] : [])].join("\n");
      return { data: { person_id, email, name, role, partner: partner ?? null, ...shown }, text };
    },
  },
];

async function choosePassword(source: Pick<NewUserOptions, "passwordStdin" | "generatePassword">) {
  if (source.passwordStdin && source.generatePassword) {
    throw new WrongUsage("Give either --password-stdin or --generate-password.");
  }
  if (source.passwordStdin) return { password: await readSecretFromStdin(), generated: false };
  if (!source.generatePassword && hasTerminal()) return { password: await promptNewPassword(), generated: false };
  return { password: randomSecret().slice(0, 20), generated: true };
}
