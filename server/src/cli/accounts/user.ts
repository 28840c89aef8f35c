import { randomUUID } from "node:crypto";
import {
  hasTerminal,
  promptLine,
  promptNewPassword,
  promptSecret,
  readSecretFromStdin,
} from "@pestle/cli/accounts/secret-input";
import { WrongUsage } from "@pestle/cli/errors";
import { facts, SHOWN_ONCE, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type PersonLicense, portalRoleNames, staffRoleNames } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { findPartner } from "../../db/accounts/accounts.ts";
import type { Deps } from "../../deps.ts";
import { currentLicense, isPharmacistRole } from "../../domain/accounts/license.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { createPasswords } from "../../passwords.ts";
import { type Demo, readDemo } from "../../seed/demo-file.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { changePasswordByEmail } from "../../usecases/accounts/change-password.ts";
import { checkNewPassword, createPerson, madePassword } from "../../usecases/accounts/create-person.ts";
import { licensePerson, readPeople, resetSecondFactorByEmail } from "../../usecases/accounts/manage-people.ts";
import { endSessionsByEmail, requirePerson, sessionsOf } from "../../usecases/accounts/manage-sessions.ts";
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
import { withDeps } from "../fulfillment/work-session.ts";
import { withSchema } from "../session.ts";
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
          const given = { email, name, role, partner_id, password_hash, must_change_password: generated };
          return createPerson(tx, { ...given, ...licenseIn(source) }, now);
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
      ["--code <code>", "the code of your authenticator app or a recovery code, if you have one (default: ask)"],
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
    name: "user password",
    summary: "choose a new password: yours, with the current one",
    options: [
      ["--email <address>", "the email that you sign in with", { required: true }],
      ["--password-stdin", "read two lines from standard input: the current password and the new one"],
    ],
    examples: [
      "user password --email noor@larkspur.example",
      "pestle user password --email noor@larkspur.example --password-stdin < passwords.txt",
    ],
    async run({ email, passwordStdin }: LoginOptions, _argument, env) {
      const { password, new_password } = await twoPasswords(passwordStdin ?? false);
      await withDeps(env, (deps) => changePasswordByEmail(deps, email, { password, new_password }));
      return { data: { email }, text: `The password of ${email} is changed, and all of their sessions have ended.` };
    },
  },
  {
    name: "user sessions",
    lists: "sessions",
    summary: "list where a user is signed in",
    options: [["--email <address>", "the user's email", { required: true }]],
    examples: ["user sessions --email noor@larkspur.example"],
    async run({ email }: { email: string }, _argument, env) {
      const sessions = await withSchema(readConfig(env), async ({ db, now }) => {
        const { person_id } = await requirePerson(db, email);
        return sessionsOf({ db, now: () => now }, person_id, null);
      });
      const rows = sessions.map((one) => [
        one.session_id,
        one.created_at,
        one.last_seen_at,
        one.address ?? "",
        one.agent ?? "",
      ]);
      return { data: sessions, text: table(["session", "signed in", "last seen", "address", "program"], rows) };
    },
  },
  {
    name: "user end-sessions",
    summary: "sign a user out everywhere, or end one session",
    options: [
      ["--email <address>", "the user's email", { required: true }],
      ["--session <id>", "only this session, from `pestle user sessions`"],
    ],
    examples: ["user end-sessions --email noor@larkspur.example"],
    async run({ email, session }: { email: string; session?: string }, _argument, env) {
      const ended = await withSchema(readConfig(env), ({ db, now }) =>
        endSessionsByEmail({ db }, email, session ?? null, now),
      );
      return { data: { email, ended }, text: `Sessions of ${email} that ended: ${ended}.` };
    },
  },
  {
    name: "user reset-second-factor",
    summary: "remove the second factor of a user who lost it, and sign the user out everywhere",
    options: [["--email <address>", "the user's email", { required: true }]],
    examples: ["user reset-second-factor --email noor@larkspur.example"],
    async run({ email }: { email: string }, _argument, env) {
      await withSchema(readConfig(env), ({ db, now }) => resetSecondFactorByEmail({ db }, email, now));
      const text = `${email} has no second factor and no recovery codes, and all of their sessions have ended.`;
      return { data: { email }, text };
    },
  },
  {
    name: "user list",
    lists: "people",
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

const AT_COMMAND_LINE = { address: "command line", agent: "pestle user login" };

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
  const signed = await signIn(deps, { email, password, code: code ?? null }, AT_COMMAND_LINE, request_id);
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
    if (typed === "") return refuse("This person has a second factor. Give a code or a recovery code with --code.");
    if (!(await giveCode(deps, session, typed, request_id)).taken) return refuse("The code is wrong.");
  }
  if (session.must_change_password) {
    return refuse("Choose a password of your own first: run `pestle user password`, or sign in to the dashboard.");
  }
  return { session, token };
}

async function twoPasswords(from_stdin: boolean): Promise<{ password: string; new_password: string }> {
  if (from_stdin) {
    const [password = "", new_password = ""] = (await readSecretFromStdin()).split(/\r?\n/);
    if (new_password === "") throw new WrongUsage("Give two lines: the current password and the new one.");
    return { password, new_password };
  }
  if (!hasTerminal()) throw new WrongUsage("There is no password. Give --password-stdin.");
  return { password: await promptSecret("Current password (not shown): "), new_password: await promptNewPassword() };
}

async function choosePassword(source: Pick<NewUserOptions, "passwordStdin" | "generatePassword">) {
  if (source.passwordStdin && source.generatePassword) {
    throw new WrongUsage("Give either --password-stdin or --generate-password.");
  }
  if (source.passwordStdin) return { password: await readSecretFromStdin(), generated: false };
  if (!source.generatePassword && hasTerminal()) return { password: await promptNewPassword(), generated: false };
  return { password: madePassword(), generated: true };
}
