import { readdirSync, readFileSync } from "node:fs";
import {
  type AuditRule,
  auditActions,
  commandAudit,
  commandAuditOf,
  endpoints,
  jobAudit,
  partnerAudit,
  webAudit,
} from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { recorded } from "../../../src/cli/audit-command.ts";
import { loadCommands } from "../../../src/cli/commands.ts";
import { webRoutes } from "../../../src/http/web-routes.ts";

const partner: Readonly<Record<string, AuditRule>> = partnerAudit;
const web: Readonly<Record<string, AuditRule>> = webAudit;
const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`;
const without = (names: readonly string[], rules: (name: string) => AuditRule | undefined) =>
  names.filter((name) => rules(name) === undefined);

describe("every operation has a rule that says which audit entry it writes, or why none", () => {
  test("the partner API and the token servers (add missing ones to contract/src/audit/partner-audit.ts)", () => {
    const names = endpoints.map(({ operation_id }) => operation_id);
    expect(without(names, (name) => partner[name])).toEqual([]);
    expect(Object.keys(partner).filter((name) => !names.some((known) => known === name))).toEqual([]);
  });

  test("the dashboard and the portal (add missing ones to contract/src/audit/web-audit.ts)", () => {
    const names = webRoutes.map(keyOf);
    expect(without(names, (name) => web[name])).toEqual([]);
    expect(Object.keys(web).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("the command line (add missing verbs to contract/src/audit/command-audit.ts)", async () => {
    const names = (await loadCommands()).map(({ name }) => name);
    expect(without(names, commandAuditOf)).toEqual([]);
    expect(Object.keys(commandAudit).filter((name) => !names.includes(name))).toEqual([]);
  });

  test("the jobs (add missing ones to contract/src/audit/job-audit.ts)", () => {
    const src = new URL("../../../src/", import.meta.url);
    const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const text = files.map((file) => readFileSync(new URL(file, src), "utf8")).join();
    const jobs = new Set([...text.matchAll(/startLoop\(\w+, "([\w-]+)"/g)].map(([, name]) => name!));
    expect([...jobs].sort()).toEqual(Object.keys(jobAudit).sort());
  });
});

test("the service writes no entry of a command, so it does not run in the commands' storage, which slows every promise", () => {
  const run = async () => undefined;
  const service = { name: "start", summary: "starts", examples: ["start"], runs_on: true, run } as const;
  expect(recorded(service)).toBe(service);
  expect(commandAudit["start"]).toHaveProperty("not_audited");
  expect(recorded({ name: "doctor", summary: "checks", examples: ["doctor"], run }).run).not.toBe(run);
});

test("each reason is a sentence, and every action of the log belongs to a rule", () => {
  const rules = [partner, web, commandAudit, jobAudit].flatMap((table) => Object.values(table));
  const reasons = rules.flatMap((rule) => ("not_audited" in rule ? [rule.not_audited] : []));
  for (const reason of reasons) expect(reason).toMatch(/^[A-Z].{15,}\.$/);
  const written = new Set<string>(rules.flatMap((rule) => ("writes" in rule ? rule.writes : [])));
  expect(Object.keys(auditActions).filter((action) => !written.has(action))).toEqual([]);
});
