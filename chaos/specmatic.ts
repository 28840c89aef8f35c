import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findOrInstall } from "../scripts/debian-package.ts";
import type { Demo } from "../server/src/seed/demo.ts";
import { ask } from "./ask.ts";
import { openScene } from "./contract-scene.ts";
import { readOpenapi } from "./openapi-document.ts";
import { documentForSpecmatic, exampleForSpecmatic, isForSpecmatic } from "./specmatic-document.ts";
import { openWitness, type Witness } from "./specmatic-witness.ts";

export type SpecmaticTally = Pick<Witness, "answers" | "faults"> & {
  operations: number;
  tests: number;
  /** Good requests, going by the schemas, that a rule behind them refused, as the document says it may. */
  refused_by_rule: number;
};

const JAR = fileURLToPath(new URL("../node_modules/specmatic/specmatic.jar", import.meta.url));
/** Quick to start; and whatever it would ask of the network beyond this machine finds nobody. */
const JAVA = [
  "-XX:TieredStopAtLevel=1",
  "-XX:+UseSerialGC",
  ...["http", "https"].flatMap((scheme) => [`-D${scheme}.proxyHost=127.0.0.1`, `-D${scheme}.proxyPort=9`]),
];
const CONFIG = `version: 2
contracts: []
test:
  resiliencyTests:
    enable: all
  maxTestRequestCombinations: 1
`;
/** It changes what is good into what is as good, and cannot know more than the schemas: these are the rules' own. */
const REFUSED_BY_RULE =
  /^\+ve[\s\S]*Specification expected status 2\d\d but response contained status (401|409|422)\s*$/;

/** Found, or brought by Debian's package where it may be. */
export const hasJava = () =>
  spawnSync("java", ["-version"]).status === 0 ||
  findOrInstall(["/usr/bin/java"], "openjdk-17-jre-headless") !== undefined;

/**
 * Lets Specmatic, a public contract tester, make good and bad requests from the served document and send them to the
 * service that serves it. It judges each answer, and so does the witness between the two.
 */
export async function askSpecmatic(given: { demo: Demo; every_query: boolean }): Promise<SpecmaticTally> {
  const text = (await ask(`${given.demo.base_url}/openapi.json`))!.text;
  const document = readOpenapi(text);
  const operations = document.operations.filter(isForSpecmatic);
  const scene = await openScene(given.demo);
  const directory = mkdtempSync(join(tmpdir(), "pestle-specmatic-"));
  const witness = await openWitness(document, scene);
  try {
    mkdirSync(join(directory, "examples"));
    writeFileSync(join(directory, "specmatic.yaml"), CONFIG);
    writeFileSync(join(directory, "openapi.json"), documentForSpecmatic(text, given.every_query));
    for (const operation of operations) {
      const example = await exampleForSpecmatic(document, scene, operation);
      writeFileSync(join(directory, "examples", `${operation.operation_id}.json`), JSON.stringify(example));
    }
    const output = await run(directory, witness.url, scene.tokens.partners);
    const { tests, failures } = resultsIn(directory, output);
    const faults = failures.filter((failure) => !REFUSED_BY_RULE.test(failure));
    const never = operations
      .filter(({ operation_id }) => !Object.keys(witness.answers[operation_id] ?? {}).some((status) => status < "300"))
      .map(({ operation_id }) => `${operation_id}: never succeeded`);
    return {
      operations: operations.length,
      tests,
      refused_by_rule: failures.length - faults.length,
      answers: witness.answers,
      faults: [...new Set([...witness.faults, ...faults, ...never])],
    };
  } finally {
    witness.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function run(directory: string, url: string, token: string): Promise<string> {
  const args = ["test", "--strict", `--testBaseURL=${url}`, "--examples=examples", "--junitReportDir=junit"];
  const child = spawn("java", [...JAVA, "-jar", JAR, ...args, "openapi.json"], {
    cwd: directory,
    env: { PATH: process.env["PATH"], HOME: directory, sandbox: token },
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}

/** From its report: how many tests there were, and each that failed as its name and what was wrong. */
function resultsIn(directory: string, output: string): { tests: number; failures: string[] } {
  const report = readFileSync(join(directory, "junit/TEST-junit-jupiter.xml"), "utf8");
  const [, tests] = /Tests run: (\d+)/.exec(output) ?? [];
  const cases = report.split("<testcase ").slice(1);
  const failures = cases
    .filter((one) => /<(failure|error)\b/.test(one))
    .map((one) => {
      const [, name = ""] = /name="[^"]*?([+-]ve [^"]*)"/.exec(one) ?? /name="([^"]*)"/.exec(one) ?? [];
      const [, why = ""] = /<(?:failure|error)[^>]*message="([^"]*)"/.exec(one) ?? [];
      return `${unescaped(name)}: ${unescaped(why).trim()}`;
    });
  if (tests === undefined || Number(tests) === 0) throw new Error(`Specmatic tested nothing: ${output.slice(-2_000)}`);
  return { tests: Number(tests), failures };
}

const unescaped = (text: string) =>
  text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
