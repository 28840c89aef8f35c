import { reason } from "@pestle/cli/errors";
import { type Output, pc } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type Config, describeConfig, readConfig } from "../../config.ts";
import { providersInUse } from "../../providers-in-use.ts";
import { checkReplicas } from "../../replicas/check-up-replicas.ts";
import { readDemo } from "../../seed/demo-file.ts";
import { checkDatabase, checkMachine, checkSafety, type Finding, finding } from "../../usecases/operations/check-up.ts";
import { checkServers } from "../../usecases/operations/servers/check-up-servers.ts";
import { checkProviders } from "../../usecases/providers/check-up-providers.ts";
import { hasDatabase, withDatabase } from "../session.ts";

export const doctorCommand: CommandRow = {
  name: "doctor",
  summary: "check settings, files, ports, database, clock and keys, and suggest fixes",
  examples: ["doctor", "doctor --json"],
  async run(_options, _argument, env) {
    return report(await lookAtEverything(env));
  },
};

async function lookAtEverything(env: NodeJS.ProcessEnv | undefined): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    return [finding("settings", "failed", reason(error))];
  }
  const set = describeConfig(env).filter(({ origin }) => origin === "environment").length;
  const findings = [finding("settings", "ok", `all valid, ${set} set in the environment`)];
  findings.push(...(await checkMachine(config, new Date())));
  findings.push(...checkProviders(providersInUse(config, readDemo(config.DATA_DIR) !== undefined)));
  if (!hasDatabase(config)) {
    const none = finding("database", "ok", "none yet: the first start creates it in DATA_DIR");
    return [...findings, none, await checkSafety(config, null)];
  }
  try {
    findings.push(
      ...(await withDatabase(config, async ({ db, tenants, replicas }) => [
        ...(await checkDatabase(config, db, () => new Date(), tenants)),
        ...(await checkReplicas(db, replicas)),
        ...(await checkServers(db)),
      ])),
    );
  } catch (error) {
    findings.push(finding("database", "failed", reason(error)));
  }
  return findings;
}

function report(findings: Finding[]): Output {
  const marks = { ok: pc.green("✓"), warning: pc.yellow("!"), failed: pc.red("✗") };
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.map(({ what, state, says }) => `${marks[state]} ${what.padEnd(width)}  ${says}`);
  const failed = findings.some(({ state }) => state === "failed");
  return { data: { healthy: !failed, findings }, text: lines.join("\n"), failed };
}
