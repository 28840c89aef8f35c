import { randomUUID } from "node:crypto";
import { type PersonLicense, portalRoleNames, staffRoleNames } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { findPartner } from "../../db/accounts/accounts.ts";
import type { Deps } from "../../deps.ts";
import { currentLicense, isPharmacistRole } from "../../domain/accounts/license.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { createPasswords } from "../../passwords.ts";
import { type Demo, readDemo } from "../../seed/demo.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { checkNewPassword, createPerson, madePassword } from "../../usecases/accounts/create-person.ts";
import { licensePerson, readPeople } from "../../usecases/accounts/manage-people.ts";
import {
  findSession,
  giveCode,
  IDLE_MS,
  LONGEST_SESSION_MS,
  type SignedIn,
  secondFactorOf,
  signIn,
  signOut,
} from "../../usecases/accounts/sign-in.ts";
import { transact } from "../../usecases/write.ts";
import { WrongUsage } from "../errors.ts";
import { withDeps } from "../fulfillment/work-session.ts";
import { facts, SHOWN_ONCE, table } from "../output.ts";
import type { CommandRow } from "../program.ts";
import { withSchema } from "../session.ts";
import { hasTerminal, promptLine, promptNewPassword, promptSecret, readSecretFromStdin } from "./secret-input.ts";
import { forgetPeople, isStaff, keepPerson, keptHere } from "./staff-session.ts";

type LicenseOptions = { licenseNumber?: string; licenseState?: string; licenseExpires?: string; npi?: string };

type NewUserOptions = LicenseOptions & {
  email: string;
  name: string;
  role: string;
  partner?: string;
  passwordStdin?: boolean;
  generatePassword?: boolean;
};

const licenseOptions = [
  ["--license-number <number>", "a pharmacist's license number"],
  ["--license-state <state>", "the state that issued the license, such as CA"],
  ["--license-expires <date>", "the day on which the license expires, YYYY-MM-DD"],
  ["--npi <npi>", "the pharmacist's National Provider Identifier"],
] as const;

const licenseIn = ({ licenseNumber, licenseState, licenseExpires, npi }: LicenseOptions): PersonLicense => ({
  license_number: licenseNumber ?? null,
  license_state: licenseState ?? null,
  license_expires_on: licenseExpires ?? null,
  npi: npi ?? null,
});

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
      ...licenseOptions,
    ],
    examples: [
      'user create --email noor@larkspur.example --name "Noor Haddad" --role pharmacist --license-number RPH-1204 --license-state CA --license-expires 2028-05-31',
      'user create --email sam@willow.example --name "Sam Okafor" --role partner_admin --partner "Willow Telehealth"',
      "pestle user create --email ci@larkspur.example --name CI --role technician --password-stdin < password.txt",
    ],
    async run({ email, name, role, partner, ...source }: NewUserOptions, _argument, env) {
      const config = readConfig(env);
      const { password, generated } = await choosePassword(source);
      const passwords = createPasswords();
      if (!generated) checkNewPassword({ passwords, config }, password, { email, name, partner_name: partner ?? null });
      const password_hash = await passwords.hash(password);
      const person_id = await withSchema(config, ({ db, now }) =>
        transact({ db }, async (tx) => {
          const found = partner === undefined ? undefined : await findPartner(tx, partner);
          if (partner !== undefined && found === undefined) {
            throw new AdminRefusal(
              "There is no partner with that name. Run `pestle partner list` to see the partners.",
            );
          }
          const partner_id = found?.partner_id ?? null;
          return createPerson(tx, { email, name, role, partner_id, password_hash, ...licenseIn(source) }, now);
        }),
      );
      const shown = generated ? { password } : {};
      const text = [facts({ person_id, email, role, ...shown }), ...(generated ? [SHOWN_ONCE] : [])].join("\n");
      return { data: { person_id, email, name, role, partner: partner ?? null, ...shown }, text };
    },
  },
  {
    name: "user login",
    summary: "sign in as pharmacy staff, so that commands can act for you on this machine",
    options: [
      ["--email <address>", "the email that you sign in with", { required: true }],
      ["--password-stdin", "read the password from standard input (default: the demo's password, else ask)"],
      ["--code <code>", "the code of your authenticator app, if you have one (default: ask)"],
    ],
    examples: [
      "user login --email noor@larkspur.example",
      "pestle user login --email noor@larkspur.example --password-stdin < password.txt",
    ],
    async run(given: LoginOptions, _argument, env) {
      const demo = readDemo(readConfig(env).DATA_DIR);
      const password = await passwordOf(given, demo);
      return withDeps(env, async (serving) => {
        const deps = { ...serving, second_factor: secondFactorOf(serving.config, demo !== undefined) };
        const { session, token } = await openSession(deps, given, password);
        const file = keepPerson(session, token, deps, env);
        const { person_id, email, name, role } = session;
        const text = `Signed in as ${name} (${role}). Commands can act for you until you sign out, for ${IDLE_MS / 60_000} minutes after the last one, at most ${LONGEST_SESSION_MS / 3600_000} hours. Saved in ${file}.`;
        return { data: { person_id, email, name, role, file }, text };
      });
    },
  },
  {
    name: "user logout",
    summary: "sign out people who signed in with `pestle user login` on this machine",
    options: [["--email <address>", "only this person (default: all)"]],
    examples: ["user logout", "user logout --email noor@larkspur.example"],
    async run({ email }: { email?: string }, _argument, env) {
      const config = readConfig(env);
      const gone = keptHere(config, env).filter(
        (one) => email === undefined || one.email.toLowerCase() === email.toLowerCase(),
      );
      if (gone.length > 0) {
        await withDeps(env, async (deps) => {
          for (const { token } of gone) {
            const session = await findSession(deps, token);
            if (session !== undefined) await signOut(deps, session, randomUUID());
          }
        });
        forgetPeople(gone, env);
      }
      const names = gone.map((one) => one.email);
      const text = names.length === 0 ? "You were not signed in." : `Signed out: ${names.join(", ")}.`;
      return { data: { signed_out: names }, text };
    },
  },
  {
    name: "user list",
    summary: "list all users with role and license",
    examples: ["user list", "user list --json"],
    async run(_options: object, _argument, env) {
      const config = readConfig(env);
      const { people, today } = await withSchema(config, async ({ db, now }) => ({
        people: await readPeople({ db }),
        today: dateIn(config.TIME_ZONE, now),
      }));
      const head = ["email", "name", "role", "license", "state", "expires", "current"];
      const rows = people.map((person) => [
        person.email,
        person.name,
        person.role,
        person.license_number ?? "",
        person.license_state ?? "",
        person.license_expires_on ?? "",
        isPharmacistRole(person.role) ? (currentLicense(person, today) === null ? "no" : "yes") : "",
      ]);
      return { data: people, text: table(head, rows) };
    },
  },
  {
    name: "user license",
    summary: "set a staff member's pharmacist license; without a license, it is removed",
    options: [["--email <address>", "the user's email", { required: true }], ...licenseOptions],
    examples: [
      "user license --email noor@larkspur.example --license-number RPH-1204 --license-state CA --license-expires 2028-05-31 --npi 1234567893",
      "user license --email noor@larkspur.example",
    ],
    async run({ email, ...given }: LicenseOptions & { email: string }, _argument, env) {
      const license = licenseIn(given);
      const data = await withSchema(readConfig(env), ({ db, now }) => licensePerson({ db }, email, license, now));
      const { license_number, license_state, license_expires_on } = data;
      const text =
        license_number === null
          ? `${email} has no license and cannot act as a pharmacist.`
          : `${email} has license ${license_number} (${license_state}), which expires on ${license_expires_on}.`;
      return { data: { email, ...data }, text };
    },
  },
];

type LoginOptions = { email: string; passwordStdin?: boolean; code?: string };

/** The demo's people have passwords that this machine already holds. */
async function passwordOf({ email, passwordStdin }: LoginOptions, demo: Demo | undefined): Promise<string> {
  if (passwordStdin) return readSecretFromStdin();
  const own = [...(demo?.people ?? []), ...(demo ? [demo.operator] : [])].find((one) => one.email === email);
  if (own !== undefined) return own.password;
  // Never accept a password as an argument: every user on the machine could read it.
  if (!hasTerminal()) throw new WrongUsage("There is no password. Give --password-stdin.");
  return promptSecret("Password (not shown): ");
}

/** Checks password and second factor as the dashboard does, and opens a session. */
async function openSession(
  deps: Deps,
  { email, code }: LoginOptions,
  password: string,
): Promise<{ session: SignedIn; token: string }> {
  const request_id = randomUUID();
  const signed = await signIn(deps, { email, password, code: code ?? null }, "command line", request_id);
  if (signed.outcome === "refused") throw new AdminRefusal("The email, the password or the code is wrong.");
  if (signed.outcome === "sso_only") {
    throw new AdminRefusal(
      "This person must use single sign-on. To allow passwords, run: pestle sso set --staff --no-only",
    );
  }
  const { session, cookie: token } = signed;
  const refuse = async (why: string): Promise<never> => {
    await signOut(deps, session, request_id);
    throw new AdminRefusal(why);
  };
  if (!isStaff(session)) return refuse("Only pharmacy staff can work at the command line.");
  if (signed.outcome === "needs_set_up") {
    return refuse("Sign in to the dashboard once and set up your authenticator app. Then run this command again.");
  }
  if (signed.outcome === "needs_code") {
    const typed = hasTerminal() ? await promptLine("Code: ") : "";
    if (typed === "") return refuse("This person has an authenticator app. Give its code with --code.");
    if (!(await giveCode(deps, session, typed, request_id))) return refuse("The code is wrong.");
  }
  return { session, token };
}

async function choosePassword(source: Pick<NewUserOptions, "passwordStdin" | "generatePassword">) {
  if (source.passwordStdin && source.generatePassword) {
    throw new WrongUsage("Give either --password-stdin or --generate-password.");
  }
  if (source.passwordStdin) return { password: await readSecretFromStdin(), generated: false };
  if (!source.generatePassword && hasTerminal()) return { password: await promptNewPassword(), generated: false };
  return { password: madePassword(), generated: true };
}
