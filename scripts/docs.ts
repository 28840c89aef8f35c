import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { arazzo, type OpenapiOptions, openapi, openapi30, postman } from "@pestle/contract";
import { pythonModels } from "./clients/python-models.ts";
import { pythonAsyncOperations, pythonOperations } from "./clients/python-operations.ts";
import { pythonTables } from "./clients/python-tables.ts";
import { smallClients } from "./clients/small-clients.ts";
import { dashboardFile } from "./deploy/dashboard.ts";
import { kubernetesFiles } from "./deploy/kubernetes.ts";
import { rulesFile } from "./deploy/rules.ts";
import { asvsPage } from "./docs/asvs-page.ts";
import { authenticationPage } from "./docs/authentication-page.ts";
import { catalogueColumnsPage } from "./docs/catalogue-columns-page.ts";
import { certifyPage } from "./docs/certify-section.ts";
import { cliPage } from "./docs/cli-page.ts";
import { controlledPage } from "./docs/controlled-page.ts";
import { errorsPage } from "./docs/errors-page.ts";
import { eventsPage } from "./docs/events-page.ts";
import { exceptionsPage } from "./docs/exceptions-page.ts";
import { inspectionPage } from "./docs/inspection-page.ts";
import { intakePage } from "./docs/intake-page.ts";
import { invariantsPage } from "./docs/invariants-page.ts";
import { lifecyclePage } from "./docs/lifecycle-page.ts";
import { generated, page } from "./docs/markdown.ts";
import { configPage } from "./docs/operators/config-page.ts";
import { metricsPage } from "./docs/operators/metrics-page.ts";
import { deploymentPage } from "./docs/operators/replica-reads-section.ts";
import { securityPage } from "./docs/protection-section.ts";
import { quotasPage } from "./docs/quotas-page.ts";
import { rateLimitsPage } from "./docs/rate-limits-page.ts";
import { stylePage } from "./docs/snippets-section.ts";
import { testingPage } from "./docs/testing-page.ts";
import { apps, wordsFile } from "./docs/words.ts";
import { sbom } from "./sbom.ts";
import { addressesFile, recordsFile } from "./sdk/records-file.ts";
import { renderSite } from "./site/render-site.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Every generated page. `npm run docs` writes them; `npm run docs -- --check` lists the outdated ones. */
const pages: { path: string; render: () => string }[] = [
  { path: "docs/errors.md", render: errorsPage },
  { path: "docs/exceptions.md", render: exceptionsPage },
  { path: "docs/lifecycle.md", render: lifecyclePage },
  { path: "docs/events.md", render: eventsPage },
  { path: "docs/intake.md", render: intakePage },
  { path: "docs/catalogue-columns.md", render: catalogueColumnsPage },
  { path: "docs/controlled-substances.md", render: controlledPage },
  { path: "docs/guides/inspection.md", render: inspectionPage },
  { path: "docs/invariants.md", render: invariantsPage },
  { path: "docs/quotas.md", render: quotasPage },
  { path: "docs/operators/metrics.md", render: metricsPage },
  { path: "deploy/prometheus/rules.yml", render: rulesFile },
  { path: "deploy/grafana/pestle.json", render: dashboardFile },
  ...kubernetesFiles,
  { path: "docs/guides/authentication.md", render: authenticationPage },
  { path: "docs/guides/rate-limits.md", render: rateLimitsPage },
  { path: "docs/partners/testing.md", render: testingPage },
  { path: "docs/asvs.md", render: asvsPage },
  { path: "docs/openapi.json", render: () => described(openapi) },
  { path: "docs/openapi-3.0.json", render: () => described(openapi30) },
  { path: "docs/arazzo.json", render: () => described(arazzo) },
  { path: "docs/postman.json", render: () => document(postman) },
  { path: "sdk/src/generated/records.ts", render: recordsFile },
  { path: "sdk/src/generated/addresses.ts", render: addressesFile },
  { path: "docs/config.md", render: configPage },
  { path: "docs/cli.md", render: cliPage },
  { path: "docs/adr/README.md", render: decisionsPage },
  { path: "python/src/pestle/models.py", render: pythonModels },
  { path: "python/src/pestle/operations.py", render: pythonOperations },
  { path: "python/src/pestle/async_operations.py", render: pythonAsyncOperations },
  { path: "python/src/pestle/tables.py", render: pythonTables },
  ...smallClients,
  { path: "sbom.cdx.json", render: () => sbom() },
  { path: "docs/guides/security.md", render: () => securityPage(join(root, "docs/guides/security.md")) },
  { path: "docs/guides/deployment.md", render: () => deploymentPage(join(root, "docs/guides/deployment.md")) },
  { path: "docs/style.md", render: () => stylePage(join(root, "docs/style.md")) },
  { path: "docs/certify.md", render: () => certifyPage(join(root, "docs/certify.md"), "receiver-checks") },
  {
    path: "docs/partners/certify-orders.md",
    render: () => certifyPage(join(root, "docs/partners/certify-orders.md"), "order-checks"),
  },
  ...apps.map((app) => ({ path: `web/words/${app}.en-US.json`, render: () => wordsFile(app) })),
  ...pagesWithFiles(),
  // Reads the pages, so it comes last.
  { path: "docs/llms.txt", render: () => String(renderSite(root, "").get("docs/llms.txt")) },
];

function main() {
  const check = process.argv.includes("--check");
  const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
  for (const { path, render } of pages) {
    if (only !== undefined && path !== only) continue;
    const file = join(root, path);
    const text = render();
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    if (check) {
      console.error(`${path} is out of date: run npm run docs`);
      process.exitCode = 1;
    } else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      console.log(`wrote ${path}`);
    }
  }
}

/** Pages with a `from="…"` fence, whose content is that file, so that readers see the code that the tests run. */
function pagesWithFiles() {
  return readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({ path: `docs/${name}`, text: () => readFileSync(join(root, "docs", name), "utf8") }))
    .filter(({ text }) => / from="/.test(text()))
    .map(({ path, text }) => ({
      path,
      // Another row may have changed the page just now.
      render: () =>
        text().replace(/^(```\w+ from="([^"]+)")\n.*?^```$/gms, (_, head: string, file: string) => {
          const content = readFileSync(join(root, dirname(path), file), "utf8");
          return `${head}\n${content.trimEnd()}\n\`\`\``;
        }),
    }));
}

function decisionsPage() {
  const names = readdirSync(join(root, "docs/adr")).filter((name) => /^\d{4}-/.test(name));
  const title = (name: string) =>
    /^# (?:\d+\.? )?(.*)$/m.exec(readFileSync(join(root, "docs/adr", name), "utf8"))?.[1] ?? name;
  return page(
    generated("the files beside it"),
    "# Decisions\n",
    "One page for each decision that a reader may question, with the alternatives we tried and the consequences.\n",
    ...names.sort().map((name) => `- [${name.slice(0, 4)}](${name}) ${title(name)}`),
  );
}

function described(describe: (options: OpenapiOptions) => object) {
  const generatedBy = "npm run docs, from contract/src/endpoints/endpoints.ts and the tables beside it";
  return document((options) => ({ "x-generated-by": generatedBy, ...describe(options) }));
}

function document(describe: (options: OpenapiOptions) => object) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const content = describe({
    version,
    base_url: "http://127.0.0.1:8080",
    auth_url: "http://127.0.0.1:8081",
    sandbox_auth_url: "http://127.0.0.1:8082",
    operator_name: "Service",
  });
  return `${JSON.stringify(content, null, 2)}\n`;
}

main();
