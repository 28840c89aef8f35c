import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig, settings } from "../../../src/config.ts";
import { ALL_ROLES } from "../../../src/domain/operations/process-roles.ts";
import { version } from "../../../src/version.ts";
import { ROOT } from "../../support/tools/doc-blocks.ts";

// The shapes of Kubernetes are checked by the compiler where the manifests are made (scripts/deploy/kubernetes.ts). This is
// what no schema knows: that they fit the product, and each other.
const FOLDER = join(ROOT, "deploy/kubernetes");
const read = (path: string) => readFileSync(join(FOLDER, path), "utf8");

type Labels = Record<string, string>;
type Port = { name?: string; port?: number | string; containerPort?: number; targetPort?: string };
type Probe = { httpGet: { path: string; port: string }; periodSeconds: number; failureThreshold: number };
type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Labels };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec: Record<string, never> & {
    replicas: number;
    selector: Labels & { matchLabels: Labels };
    podSelector: { matchLabels: Labels };
    ports: Port[];
    ingress: { ports: Port[] }[];
    template: {
      metadata: { labels: Labels };
      spec: {
        containers: {
          image: string;
          env: { name: string; value: string }[];
          ports: Port[];
          startupProbe: Probe;
          livenessProbe: Probe;
          readinessProbe: Probe;
          securityContext: object;
          volumeMounts: { name: string; mountPath: string }[];
        }[];
        securityContext: object;
        terminationGracePeriodSeconds: number;
        volumes: { name: string; emptyDir: object }[];
      };
    };
    tls: { hosts: string[] }[];
    rules: { host: string; http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[];
    managed: { roles: { name: string }[] };
    postgresql: { parameters: Record<string, string> };
    bootstrap: { initdb: { database: string; owner: string } };
    instances: number;
  };
};

const documentsIn = (path: string) => parseAllDocuments(read(path)).map((one) => one.toJS() as Manifest);
const base = readdirSync(join(FOLDER, "base")).filter((name) => name !== "kustomization.yaml");
const all = base.flatMap((name) => documentsIn(`base/${name}`));
const of = (kind: string) => all.filter((one) => one.kind === kind);
const deployments = of("Deployment");
const [config] = of("ConfigMap") as [Manifest];
const [secret] = of("Secret") as [Manifest];
const [cluster] = documentsIn("cloudnative-pg/cluster.yaml") as [Manifest];
const containerOf = ({ spec }: Manifest) => spec.template.spec.containers[0]!;
const rolesOf = (one: Manifest) =>
  containerOf(one)
    .env.find(({ name }) => name === "ROLES")!
    .value.split(",");
const settingsOf = (one: Manifest): Record<string, string> => ({
  ...config.data,
  ...secret.stringData,
  MASTER_KEY: "ab".repeat(32),
  METRICS_TOKEN: "let-prometheus-in",
  ...Object.fromEntries(containerOf(one).env.map(({ name, value }) => [name, value])),
});

test("every setting exists, and the service starts with them", () => {
  for (const one of deployments) {
    const given = settingsOf(one);
    expect(Object.keys(given).filter((name) => !(name in settings))).toEqual([]);
    expect(readConfig(given)).toMatchObject({ ROLES: rolesOf(one).join(","), HOST: "0.0.0.0" });
  }
  expect(Object.keys(secret.stringData!).filter((name) => !("secret" in settings[name as never]))).toEqual([]);
  expect(Object.keys(config.data!).filter((name) => "secret" in settings[name as never])).toEqual([]);
});

test("Kubernetes, which reads YAML 1.1, reads the same as we do", () => {
  const files = ["base", "cloudnative-pg"].flatMap((folder) =>
    readdirSync(join(FOLDER, folder)).map((name) => `${folder}/${name}`),
  );
  for (const path of files) {
    const older = parseAllDocuments(read(path), { version: "1.1" }).map((one) => one.toJS());
    expect([path, older]).toEqual([path, documentsIn(path)]);
  }
});

test("every role runs twice, with the image of this version", () => {
  const roles = deployments.flatMap((one) => rolesOf(one).map((role) => ({ role, replicas: one.spec.replicas })));
  expect(roles.map(({ role }) => role).sort()).toEqual([...ALL_ROLES].sort());
  expect(roles.filter(({ replicas }) => replicas < 2)).toEqual([]);
  for (const one of deployments) expect(containerOf(one).image).toMatch(new RegExp(`/pestle:${version}$`));
});

test("probes ask paths that every process answers, at ports that it opens", () => {
  const health = readFileSync(join(ROOT, "server/src/http/pages.ts"), "utf8");
  const numbers: Record<string, number> = Object.fromEntries(
    ["PORT", "AUTH_PORT", "SANDBOX_AUTH_PORT"].map((name) => [name, Number(settings[name as "PORT"].default)]),
  );
  for (const one of deployments) {
    const { ports, startupProbe, livenessProbe, readinessProbe } = containerOf(one);
    const [first] = ports as [Port];
    expect(first.containerPort).toBe(numbers["PORT"]);
    const token = [numbers["AUTH_PORT"], numbers["SANDBOX_AUTH_PORT"]];
    expect(ports.slice(1).map(({ containerPort }) => containerPort)).toEqual(
      rolesOf(one).includes("token") ? token : [],
    );
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect(health).toContain(`app.get("${httpGet.path}"`);
      expect(httpGet.port).toBe(first.name);
    }
    // A process that is not ready for a while, such as during a failover, must not be killed.
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(["/healthz", "/readyz"]);
  }
});

test("a process that stops has time to drain and to finish", () => {
  const drain_s = Number(config.data!["DRAIN_SECONDS"]);
  const supervisor = readFileSync(join(ROOT, "server/src/supervisor/supervise.ts"), "utf8");
  const finish_s = Number(/STOPPED_WITHIN_MS = (\d+)_000/.exec(supervisor)![1]);
  for (const one of deployments) {
    const { readinessProbe } = containerOf(one);
    expect(drain_s).toBeGreaterThanOrEqual(readinessProbe.periodSeconds * readinessProbe.failureThreshold);
    expect(one.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain_s + finish_s);
  }
});

test("no container runs as root, writes to its image or may gain rights", () => {
  for (const one of deployments) {
    const { securityContext, volumes } = one.spec.template.spec;
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(containerOf(one).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const mounts = containerOf(one).volumeMounts;
    expect(mounts.map(({ mountPath }) => mountPath)).toEqual(["/tmp", config.data!["DATA_DIR"]]);
    expect(mounts.map(({ name }) => name).sort()).toEqual(volumes.map(({ name }) => name).sort());
  }
});

test("services, budgets, policies and the ingress find their pods and ports", () => {
  const workload = (labels: Labels) =>
    deployments.find(({ spec }) =>
      Object.entries(labels).every(([key, value]) => spec.template.metadata.labels[key] === value),
    );
  const portsOf = (one: Manifest) => containerOf(one).ports.map(({ name }) => name);
  for (const service of of("Service")) {
    const target = workload(service.spec.selector)!;
    for (const { targetPort } of service.spec.ports) expect(portsOf(target)).toContain(targetPort);
  }
  for (const policy of of("NetworkPolicy")) {
    const target = workload(policy.spec.podSelector.matchLabels)!;
    for (const { port } of policy.spec.ingress.flatMap(({ ports }) => ports)) expect(portsOf(target)).toContain(port);
  }
  const budgets = of("PodDisruptionBudget").map(({ spec }) => workload(spec.selector.matchLabels)!.metadata.name);
  expect(budgets.sort()).toEqual(deployments.map(({ metadata }) => metadata.name).sort());
  const [ingress] = of("Ingress") as [Manifest];
  const hosts = ["BASE_URL", "AUTH_URL", "SANDBOX_AUTH_URL"].map((name) => new URL(config.data![name]!).hostname);
  expect(ingress.spec.rules.map(({ host }) => host)).toEqual(hosts);
  expect(ingress.spec.tls[0]!.hosts).toEqual(hosts);
  for (const { http } of ingress.spec.rules) {
    const { name, port } = http.paths[0]!.backend.service;
    const service = of("Service").find(({ metadata }) => metadata.name === name)!;
    expect(service.spec.ports.map((one) => one.name)).toContain(port.name);
  }
});

test("the kustomizations list every file, and the patches fit each Deployment", () => {
  const { resources } = parse(read("base/kustomization.yaml")) as { resources: string[] };
  expect([...resources, "secret.example.yaml"].sort()).toEqual(base.sort());
  const overlay = parse(read("cloudnative-pg/kustomization.yaml")) as { patches: { patch: string }[] };
  const operations = overlay.patches.flatMap(
    ({ patch }) => parse(patch) as { op: string; path: string; value: object }[],
  );
  expect(operations.length).toBeGreaterThan(0);
  for (const one of deployments) {
    for (const { op, path } of operations) {
      const list = path
        .split("/")
        .slice(1, -1)
        .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], one);
      expect([op, path.endsWith("/-"), Array.isArray(list)]).toEqual(["add", true, true]);
    }
  }
  const [, mount, env] = operations.map(({ value }) => value) as Record<string, string>[];
  expect(env!["name"]! in settings).toBe(true);
  expect(env!["value"]).toMatch(new RegExp(`^${mount!["mountPath"]}/`));
});

test("the cluster has the roles of the addresses, and connections for every process during a rolling restart", () => {
  const { roles } = cluster.spec.managed;
  const { owner, database } = cluster.spec.bootstrap.initdb;
  const urls = Object.entries(secret.stringData!).filter(([name]) => name.startsWith("DATABASE_"));
  const users = urls.map(([, url]) => new URL(url).username);
  expect(users.sort()).toEqual([owner, ...roles.map(({ name }) => name)].sort());
  for (const [, url] of urls) {
    expect(new URL(url).pathname).toBe(`/${database}`);
    expect(new URL(url).hostname).toBe(`${cluster.metadata.name}-rw`);
  }
  expect(cluster.spec.instances).toBeGreaterThanOrEqual(3);
  // As docs/guides/operations.md plans them.
  const { DATABASE_POOL_SIZE, SANDBOX_POOL_SIZE } = config.data!;
  const each = 1.5 * Number(DATABASE_POOL_SIZE) + 3 * Number(SANDBOX_POOL_SIZE) + 13;
  const processes = deployments.reduce((sum, { spec }) => sum + spec.replicas + 1, 0);
  const SPARE = 20;
  expect(processes * each + SPARE).toBeLessThanOrEqual(Number(cluster.spec.postgresql.parameters["max_connections"]));
});

test("the file of Compose uses settings that exist and ports that the service opens", () => {
  type Compose = { services: Record<string, { environment: Record<string, string>; env_file?: string }> };
  const folder = join(ROOT, "deploy/compose");
  // As Compose fills in the variables of its file `.env`.
  const text = readFileSync(join(folder, "compose.yaml"), "utf8").replaceAll(
    /\$\{\w+:(\?|-([^}]*))\}/g,
    (_, how: string, fallback: string | undefined) => (how === "?" ? "from-env" : (fallback ?? "")),
  );
  const { pestle, database, caddy } = (parse(text) as Compose).services;
  const lines = readFileSync(join(folder, pestle!.env_file!), "utf8").matchAll(/^([A-Z_]+)=(.*)$/gm);
  const given = { ...Object.fromEntries([...lines].map(([, name, value]) => [name!, value!])), ...pestle!.environment };
  expect(Object.keys(given).filter((name) => !(name in settings))).toEqual([]);
  expect(readConfig({ ...given, MASTER_KEY: "ab".repeat(32) })).toMatchObject({ HOST: "0.0.0.0", DRAIN_SECONDS: 5 });
  expect(text).toContain(`http://127.0.0.1:${settings.PORT.default}/readyz`);
  // The script makes the roles of the addresses.
  const roles = readFileSync(join(folder, "roles.sh"), "utf8").match(/(?<=create role )\w+/g);
  const users = ["DATABASE_URL", "DATABASE_JOBS_URL"].map((name) => new URL(given[name]!).username);
  expect(roles).toEqual(users);
  expect(new URL(given["DATABASE_OWNER_URL"]!).username).toBe(database!.environment["POSTGRES_USER"]);
  const proxy = readFileSync(join(ROOT, "deploy/Caddyfile"), "utf8");
  expect(proxy).toContain(`{$UPSTREAM:127.0.0.1}:${settings.PORT.default}`);
  expect(caddy!.environment["UPSTREAM"]).toBe("pestle");
});
