import { pc } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import type { App } from "../../app.ts";
import { type Config, readConfig, WrongSetting } from "../../config.ts";
import type { Addresses } from "../../deps.ts";
import { providersInUse } from "../../providers-in-use.ts";
import { seedDemo } from "../../seed/demo.ts";
import { type Demo, readDemo, writeDemo } from "../../seed/demo-file.ts";
import { lowerPoolPriority } from "../../thread-priority.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { providerWarnings } from "../../usecases/providers/check-up-providers.ts";

export const startCommand: CommandRow = {
  name: "start",
  summary: "run the service: token servers, partner API, web pages and jobs",
  options: [
    ["--demo", "seed an empty database with the demo (default with the embedded database)"],
    ["--no-demo", "do not seed the demo"],
  ],
  examples: ["start", "start --no-demo", "PORT=9080 DATA_DIR=/srv/pestle pestle start"],
  runs_on: true,
  async run({ demo }: { demo?: boolean }, _argument, env) {
    await start(readConfig(env), { demo });
    return undefined;
  },
};

/** `pestle start`: runs everything in this process until it is stopped. */
async function start(config: Config, options: { demo: boolean | undefined }): Promise<void> {
  // Imported here because no other command needs the web framework; without it they start twice as fast.
  const { startApp } = await import("../../app.ts");
  const starting: Promise<App> = startApp(config, {
    prepare: async (deps, embedded) => {
      // An external database gets the demo only with --demo.
      if (options.demo ?? embedded) await seedDemo(deps);
      return readDemo(config.DATA_DIR) !== undefined;
    },
    // A script that waits for /readyz then finds the greeting in the log and the addresses in demo.json.
    opened: async (addresses) => {
      await lowerPoolPriority();
      // Writing the greeting can fail on a full disk or a closed pipe. Other commands exit then; the service keeps running.
      process.stdout.removeAllListeners("error").on("error", () => {});
      const demo = readDemo(config.DATA_DIR);
      const current = demo && { ...demo, ...addresses };
      if (current !== undefined) writeDemo(config.DATA_DIR, current);
      // Who reads the greeting may stop the service at once.
      stopOnSignal(starting);
      greet(config, addresses, current);
    },
    // The database refuses all connections of this process, so no request can finish. The supervisor restarts it.
    onIndexKeyChanged: (error) => {
      console.error(`pestle: ${error.message}`);
      process.exit(1);
    },
  });
  await starting.catch((error) => {
    throw cannotListen(config, error) ?? error;
  });
}

function greet(config: Config, addresses: Addresses, demo: Demo | undefined): void {
  const { base_url, auth_url, sandbox_auth_url } = addresses;
  const lines = [
    "",
    `${pc.bold("Pestle")} is ready.`,
    `  partner API   ${base_url}     documentation ${base_url}/docs`,
    `  dashboard     ${base_url}/dashboard     portal ${base_url}/portal`,
    `  tokens        ${auth_url}     sandbox tokens ${sandbox_auth_url}`,
  ];
  for (const warning of providerWarnings(providersInUse(config, demo !== undefined)))
    lines.push(`  ${pc.red(warning)}`);
  if (demo !== undefined) {
    const [partner] = demo.partners;
    lines.push("", `Demo credentials (saved in ${config.DATA_DIR}/demo.json):`);
    for (const { name, environment, workflow, client_id, client_secret } of demo.partners) {
      lines.push(
        `  ${name} (${environment}, ${workflow})`,
        `    client_id ${client_id}   client_secret ${client_secret}`,
      );
    }
    const staff = [{ ...demo.operator, role: "admin" }, ...demo.people];
    for (const { email, password, role } of staff) {
      lines.push(`  dashboard sign-in ${email}   password ${password}   (${role})`);
    }
    if (partner?.portal !== undefined)
      lines.push(`  portal sign-in    ${partner.portal.email}   password ${partner.portal.password}`);
    if (partner !== undefined) lines.push("", "Try it:", firstCurl(base_url, sandbox_auth_url, partner));
  }
  console.log(lines.join("\n"));
}

/** A command to paste: gets a token and lists the shipping methods. */
function firstCurl(
  base_url: string,
  auth_url: string,
  { client_id, client_secret }: { client_id: string; client_secret: string },
) {
  return [
    `  TOKEN=$(curl -s -u ${client_id}:${client_secret} -d grant_type=client_credentials -d scope=partners \\`,
    `    ${auth_url}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s -H "Authorization: Bearer $TOKEN" -H "Accept: application/json" ${base_url}/v1/shipping_methods`,
    "",
  ].join("\n");
}

function stopOnSignal(starting: Promise<App>): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // A second signal stops at once.
      if (stopping) process.exit(130);
      stopping = true;
      starting
        .then((app) => app.stop())
        .then(
          () => process.exit(0),
          (error) => {
            console.error(`pestle: did not stop cleanly: ${(error as Error).message}`);
            process.exit(1);
          },
        );
    });
  }
}

/** An error for a port that could not be opened, naming the setting to change. */
function cannotListen(config: Config, error: NodeJS.ErrnoException & { port?: number }): Error | undefined {
  const ports = ["PORT", "AUTH_PORT", "SANDBOX_AUTH_PORT"] as const;
  const setting = ports.find((name) => config[name] === error.port) ?? "PORT";
  switch (error.code) {
    case "EADDRINUSE":
      return new AdminRefusal(
        `${setting} ${error.port} is in use. Stop the program that uses it, or set ${setting} to a free port.`,
      );
    case "EACCES":
      if (error.port === undefined) return undefined;
      return new WrongSetting(`${setting} ${error.port} needs more privileges. Set ${setting} to a port from 1024 up.`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new WrongSetting("HOST is not an address of this machine. Set it to one that is, such as 127.0.0.1.");
    default:
      return undefined;
  }
}
