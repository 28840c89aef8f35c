import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, inject, test } from "vitest";
import { settings } from "../../../src/config.ts";
import { docBlocks, docPages, ROOT } from "../../support/tools/doc-blocks.ts";

const FOLDER = join(ROOT, "deploy");
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");
const canVerify = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!canVerify)("systemd finds no fault with the units", () => {
  const folder = mkdtempSync(join(tmpdir(), "pestle-units-"));
  const units = readdirSync(FOLDER).filter((name) => /\.(service|timer)$/.test(name));
  for (const name of units) copyFileSync(join(FOLDER, name), join(folder, name));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...units.map((name) => join(folder, name))], {
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true, force: true });
  // Other problems with the machine's own units do not count.
  expect(stderr.split("\n").filter((line) => line.includes("pestle"))).toEqual([]);
  expect([0, 1]).toContain(status);
});

test("every file's settings exist, and its ports are those that the service opens", () => {
  const named = [...read("pestle.env").matchAll(/^([A-Z_]+)=/gm), ...read("Containerfile").matchAll(/\b([A-Z_]{4,})=/g)]
    .map(([, name]) => name!)
    .filter((name) => name !== "NODE_ENV");
  expect(named.filter((name) => !(name in settings))).toEqual([]);
  const ports = ["PORT", "AUTH_PORT", "SANDBOX_AUTH_PORT"].map(
    (name) => (settings as never as Record<string, { default: string }>)[name]!.default,
  );
  for (const port of ports) {
    expect(read("Caddyfile")).toContain(`{$UPSTREAM:127.0.0.1}:${port}`);
    expect(read("Containerfile")).toMatch(new RegExp(`^EXPOSE .*\\b${port}\\b`, "m"));
  }
});

test("a typed command reads the settings file as systemd does", () => {
  const args = [`--env-file=${join(FOLDER, "pestle.env")}`, "-p", "JSON.stringify(process.env)"];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env: {} });
  const lines = [...read("pestle.env").matchAll(/^([A-Z_]+)=(.*)$/gm)];
  expect(JSON.parse(stdout)).toMatchObject(Object.fromEntries(lines.map(([, name, value]) => [name, value])));
  expect(readFileSync(join(ROOT, "docs/guides/deployment.md"), "utf8")).toContain("--env-file=/etc/pestle/pestle.env");
});

test("the programs that the units and the image start exist", () => {
  for (const name of ["pestle.service", "pestle-backup.service", "Containerfile"]) {
    expect(read(name)).toContain("server/bin/pestle.js");
  }
  expect(existsSync(join(ROOT, "server/bin/pestle.js"))).toBe(true);
});

test("the SQL of the documentation works on PostgreSQL", async () => {
  const client = new pg.Client({ connectionString: inject("cluster_url").replace("{database}", "postgres") });
  await client.connect();
  const own = `docs_${process.pid}_${Date.now()}`;
  try {
    for (const { text } of docPages.flatMap(docBlocks).filter(({ language }) => language === "sql")) {
      for (const statement of text.replaceAll("pestle", own).split(/;\s*\n/)) {
        if (statement.trim() !== "") await client.query(statement);
      }
    }
  } finally {
    await client.query(`drop database if exists ${own}`);
    for (const role of [own, `${own}_service`, `${own}_jobs`]) await client.query(`drop role if exists ${role}`);
    await client.end();
  }
});
