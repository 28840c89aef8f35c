import { pc } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import type { App } from "../../app.ts";
import { type Config, readConfig, rolesOf, WrongSetting } from "../../config.ts";
import type { Addresses } from "../../deps.ts";
import { ALL_ROLES, processRoles, workerRoles } from "../../domain/operations/process-roles.ts";
import { providersInUse } from "../../providers-in-use.ts";
import { seedDemo } from "../../seed/demo.ts";
import { type Demo, readDemo, writeDemo } from "../../seed/demo-file.ts";
import { isWorker, joinSupervisor, type WorkerSeat } from "../../supervisor/join-supervisor.ts";
import { lowerPoolPriority } from "../../thread-priority.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { providerWarnings } from "../../usecases/providers/check-up-providers.ts";

export const startCommand: CommandRow = {
  name: "start",
  summary: "run the service: token servers, partner API, web pages and jobs",
  options: [
    ["--demo", "seed an empty database with the demo (default with the embedded database)"],
    ["--no-demo", "do not seed the demo"],
    ["--role <roles>", `what this process does, with commas: ${ALL_ROLES.join(", ")} (default: all)`],
    ["--workers <count>", "processes that share the ports and the requests (default: 1)"],
  ],
  examples: [
    "start",
    "start --no-demo",
    "start --role api,token --workers 4",
    "PORT=9080 DATA_DIR=/srv/pestle pestle start",
  ],
  runs_on: true,
  async run({ demo, role, workers }: { demo?: boolean; role?: string; workers?: string }, _argument, env) {
    const config = readConfig(env, { ROLES: role, WORKERS: workers });
    if (config.WORKERS === 1) await start(config, { demo });
    else if (isWorker()) await work(config, { demo });
    else {
      const { supervise } = await import("../../supervisor/supervise.ts");
      const { createLog } = await import("../../create-log.ts");
      process.exit(await supervise(config, createLog(config)));
    }
    return undefined;
  },
};

/** One of several workers, with its share of the roles. */
async function work(config: Config, { demo }: { demo: boolean | undefined }): Promise<void> {
  const seat = await joinSupervisor();
  const roles = workerRoles(rolesOf(config), seat.number);
  await start({ ...config, ROLES: roles.join(",") }, { demo, seat });
  seat.tell({ kind: "ready" });
}

/** `pestle start`: runs everything in this process until it is stopped. */
async function start(config: Config, options: { demo: boolean | undefined; seat?: WorkerSeat }): Promise<void> {
  const { seat } = options;
  const leads = seat === undefined || seat.number === 1;
  // Imported here because no other command needs the web framework; without it they start twice as fast.
  const { startApp } = await import("../../app.ts");
  const starting: Promise<App> = startApp(config, {
    ...(seat && { seat }),
    prepare: async (deps, embedded) => {
      // An external database gets the demo only with --demo.
      if (leads && (options.demo ?? embedded)) await seedDemo(deps);
      return readDemo(config.DATA_DIR) !== undefined;
    },
    // A script that waits for /readyz then finds the greeting in the log and the addresses in demo.json.
    opened: async (addresses) => {
      await lowerPoolPriority();
      // Writing the greeting can fail on a full disk or a closed pipe. Other commands exit then; the service keeps running.
      process.stdout.removeAllListeners("error").on("error", () => {});
      const demo = readDemo(config.DATA_DIR);
      const current = demo && { ...demo, ...addresses };
      if (leads && current !== undefined) writeDemo(config.DATA_DIR, current);
      // Who reads the greeting may stop the service at once.
      if (seat === undefined) stopOnSignal(starting);
      else seat.onStop(() => stopAndExit(starting));
      if (leads) greet(config, addresses, current);
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
  const roles = rolesOf(config);
  const lines = ["", `${pc.bold("Pestle")} is ready.`];
  if (roles.length < ALL_ROLES.length) {
    lines.push(`  health        ${base_url}/readyz`);
    for (const role of roles) lines.push(`  ${role.padEnd(14)}${processRoles[role]}`);
  }
  if (roles.includes("api")) lines.push(`  partner API   ${base_url}     documentation ${base_url}/docs`);
  if (roles.includes("web")) lines.push(`  dashboard     ${base_url}/dashboard     portal ${base_url}/portal`);
  if (roles.includes("token")) lines.push(`  tokens        ${auth_url}     sandbox tokens ${sandbox_auth_url}`);
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
      stopAndExit(starting);
    });
  }
}

function stopAndExit(starting: Promise<App>): void {
  starting
    .then((app) => app.stop())
    .then(
      () => process.exit(0),
      (error) => {
        console.error(`pestle: did not stop cleanly: ${(error as Error).message}`);
        process.exit(1);
      },
    );
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
