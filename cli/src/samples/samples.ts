import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { signingKey } from "@pestle/contract";
import { type PartnerAccount, partnerAccount } from "../accounts/partner-account.ts";
import { wholeNumber } from "../arguments.ts";
import { CommandRefusal, reason, WrongUsage } from "../errors.ts";
import { writePrivate } from "../files.ts";
import type { CommandRow } from "../program.ts";
import { type SandboxOptions, sandboxOptions } from "../sandbox/simulate-request.ts";
import { listenSecrets } from "../webhooks/forward-event.ts";

/** The languages of sample projects, and how to run each. */
export const languages = {
  typescript: { also: "ts", prepare: "npm install", receive: "npm run receive", order: "npm run order" },
  python: { also: "py", prepare: null, receive: "python3 receive.py", order: "python3 order.py" },
  php: { also: "php", prepare: null, receive: "php -S 127.0.0.1:{port} receive.php", order: "php order.php" },
} as const;
export type Language = keyof typeof languages;
const names = Object.keys(languages) as Language[];

type CreateOptions = SandboxOptions & { folder?: string; port?: string };

export const sampleCommands: readonly CommandRow[] = [
  {
    name: "samples create",
    summary: "write a small project that orders in the sandbox and verifies webhooks",
    argument: ["language", "typescript (ts), python or php", { words: names }],
    options: [
      ["--folder <folder>", "where to write it (default: pestle- and the language)"],
      ["--port <port>", "where its receiver listens on this machine (default: 3000)"],
      ...sandboxOptions,
    ],
    examples: ["samples create ts", "samples create python --folder my-pharmacy --port 4000"],
    async run(options: CreateOptions, typed, env) {
      const language = languageOf(typed);
      const port = wholeNumber(options.port ?? "3000", "--port");
      const folder = resolve(options.folder ?? `pestle-${language}`);
      if (existsSync(folder) && readdirSync(folder).length > 0) {
        throw new CommandRefusal(`${folder} is not empty. Give another --folder.`);
      }
      const account = await partnerAccount(options, env, "sandbox");
      if (account.client_secret === "") {
        throw new CommandRefusal("The project signs in with a client secret. Log in with one, or give --client-id.");
      }
      write(folder, language, port, account);
      const commands = commandsOf(language, port);
      const text = [
        `Wrote ${folder}. Its .env has the secrets of ${account.client_id}: do not share or commit it.`,
        "In that folder, each in its own terminal:",
        ...commands.map((command) => `  ${command}`),
      ];
      return { data: { folder, language, commands }, text: text.join("\n") };
    },
  },
];

function languageOf(typed: string): Language {
  const found = names.find((name) => name === typed || languages[name].also === typed);
  if (found === undefined) throw new WrongUsage(`The language must be one of ${names.join(", ")}.`);
  return found;
}

/** `ORDER_UPDATED` comes only to receivers that ask for it. */
const EVENTS = ["RX_RECEIVED", "ORDER_UPDATED", "ORDER_EXCEPTION", "SHIPMENT_UPDATED"] as const;

const hookAt = (port: number) => `http://127.0.0.1:${port}/hook`;

/** What to run, in this order. */
function commandsOf(language: Language, port: number): string[] {
  const { prepare, receive, order } = languages[language];
  const listen = `pestle listen --forward-to ${hookAt(port)} --events ${EVENTS.join(" ")}`;
  return [...(prepare === null ? [] : [prepare]), receive.replace("{port}", String(port)), listen, order];
}

function write(folder: string, language: Language, port: number, account: PartnerAccount): void {
  const secrets = listenSecrets(signingKey(account.client_secret));
  const settings = {
    PESTLE_BASE_URL: account.base_url,
    PESTLE_AUTH_URL: account.auth_url,
    CLIENT_ID: account.client_id,
    CLIENT_SECRET: account.client_secret,
    WEBHOOK_URL: hookAt(port),
    WEBHOOK_SECRET: secrets.webhook_secret,
    SIGNING_SECRET: secrets.signing_secret,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  try {
    cpSync(join(templates(), language), folder, { recursive: true });
    writeFileSync(join(folder, ".gitignore"), ".env\nnode_modules/\n__pycache__/\n");
    writeFileSync(join(folder, "README.md"), readme(language, port));
  } catch (error) {
    throw new CommandRefusal(`The project cannot be written: ${reason(error)}`);
  }
  writePrivate(join(folder, ".env"), lines.join(""));
}

/** The package's own folder. Bundled code finds it by the package's name. */
const templates = () => join(dirname(createRequire(import.meta.url).resolve("@pestle/cli/package.json")), "samples");

const readme = (language: Language, port: number): string => `# Order in the sandbox, and verify webhooks

Run each line in its own terminal, in this order:

\`\`\`sh
${commandsOf(language, port)
  .map((command) => command.replace(/^pestle /, "npx @pestle/cli "))
  .join("\n")}
\`\`\`

The receiver prints \`verified ORDER_UPDATED … Delivered\` when the order has arrived. \`npx @pestle/cli listen\` sends it the account's
events, signed as webhooks are, so that it needs no public address.

\`.env\` has the credential and the secrets. In production, register your receiver's URL with
\`npx @pestle/cli webhooks add\` and put the secrets that it prints into your own secret store.
`;
