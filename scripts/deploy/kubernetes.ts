import type { Deployment } from "kubernetes-types/apps/v1.d.ts";
import type { ConfigMap, Container, EnvVar, PodSpec, Secret, Service } from "kubernetes-types/core/v1.d.ts";
import type { Ingress, NetworkPolicy } from "kubernetes-types/networking/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { stringify } from "yaml";
import { type SettingName, settings } from "../../server/src/config.ts";
import type { ProcessRole } from "../../server/src/domain/operations/process-roles.ts";

/** A Deployment: some roles, and what they need. */
type Workload = {
  name: string;
  about: string;
  roles: readonly ProcessRole[];
  replicas: number;
  ports: readonly PortName[];
  memory: string;
  cpu: string;
};
type PortName = "PORT" | "AUTH_PORT" | "SANDBOX_AUTH_PORT";
type Settings = Partial<Record<SettingName, string>>;

const ports: Record<PortName, { name: string; port: number }> = {
  PORT: { name: "api", port: Number(settings.PORT.default) },
  AUTH_PORT: { name: "token", port: Number(settings.AUTH_PORT.default) },
  SANDBOX_AUTH_PORT: { name: "sandbox-token", port: Number(settings.SANDBOX_AUTH_PORT.default) },
};

/** Longer than a load balancer takes to notice that /readyz answers 503. */
const DRAIN_S = 15;
/** Requests in flight, the last writes, and some to spare. */
const FINISH_S = 25;
const USER = 1000;

const workloads: readonly Workload[] = [
  {
    name: "pestle-api",
    about: "Partner API, intake, dashboard, portal and documentation.",
    roles: ["api", "web"],
    replicas: 3,
    ports: ["PORT"],
    memory: "640Mi",
    cpu: "500m",
  },
  {
    name: "pestle-token",
    about: "The token servers of production and sandbox.",
    roles: ["token"],
    replicas: 2,
    ports: ["AUTH_PORT", "SANDBOX_AUTH_PORT"],
    memory: "384Mi",
    cpu: "100m",
  },
  {
    name: "pestle-courier",
    about: "Sends webhooks. Needs a way out to partners, and none in.",
    roles: ["courier"],
    replicas: 2,
    ports: [],
    memory: "384Mi",
    cpu: "200m",
  },
  {
    name: "pestle-jobs",
    about: "Background work. Needs a way out to providers, and none in.",
    roles: ["jobs"],
    replicas: 2,
    ports: [],
    memory: "640Mi",
    cpu: "200m",
  },
];

const config: Settings = {
  HOST: "0.0.0.0",
  DATA_DIR: "/var/lib/pestle",
  BASE_URL: "https://api.larkspur.example",
  AUTH_URL: "https://auth.larkspur.example",
  SANDBOX_AUTH_URL: "https://sandbox-auth.larkspur.example",
  TRUST_PROXY: "10.0.0.0/8",
  DRAIN_SECONDS: String(DRAIN_S),
  // Each process has 8 for production and 4 for jobs, 3 and 2 for the sandbox, and those of queue and bus.
  DATABASE_POOL_SIZE: "8",
  SANDBOX_POOL_SIZE: "3",
  OPERATOR_NAME: "Larkspur",
  SECOND_FACTOR: "required",
  TIME_ZONE: "America/New_York",
  PHARMACY_NAME: "Larkspur Pharmacy",
  PHARMACY_STREET: "410 Quarry Road",
  PHARMACY_CITY: "Portland",
  PHARMACY_STATE: "ME",
  PHARMACY_ZIP: "04101",
  PHARMACY_PHONE: "2075550142",
  PHARMACY_LICENSE: "",
  PHARMACY_NPI: "1999999992",
  PHARMACY_DEA: "FL1234563",
  PHARMACY_NCPDP_ID: "9900009",
  PAYMENTS: "none",
  CARRIER: "manual",
  ADDRESSES: "none",
  SMS: "none",
};

const database = (role: string, password: string) =>
  `postgresql://${role}:${password}@pestle-db-rw:5432/pestle?target_session_attrs=read-write`;
const secrets: Settings = {
  DATABASE_URL: database("pestle_service", "change-me-too"),
  DATABASE_JOBS_URL: database("pestle_jobs", "change-me-as-well"),
  DATABASE_OWNER_URL: database("pestle", "change-me"),
  MASTER_KEY: "",
  METRICS_TOKEN: "",
};

const labelsOf = (name: string) => ({ "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "pestle" });
const meta = (name: string, workload = name) => ({ name, labels: labelsOf(workload) });

function deployment({ name, roles, replicas, memory, cpu, ...one }: Workload): Deployment {
  const opened = [...new Set<PortName>(["PORT", ...one.ports])].map((key) => ports[key]);
  const probe = (path: string, every_s: number, failures: number) => ({
    httpGet: { path, port: ports.PORT.name },
    periodSeconds: every_s,
    timeoutSeconds: 3,
    failureThreshold: failures,
  });
  const env: EnvVar[] = [{ name: "ROLES" satisfies SettingName, value: roles.join(",") }];
  const container: Container = {
    name: "pestle",
    image: "registry.example/pestle:0.1.0",
    args: ["start", "--no-demo"],
    env,
    envFrom: [{ configMapRef: { name: "pestle-config" } }, { secretRef: { name: "pestle-secrets" } }],
    ports: opened.map(({ name, port }) => ({ name, containerPort: port })),
    // Migrations of a large database may take minutes. The port opens after them.
    startupProbe: probe("/healthz", 5, 120),
    livenessProbe: probe("/healthz", 10, 3),
    readinessProbe: probe("/readyz", 5, 2),
    resources: { requests: { cpu, memory }, limits: { memory } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "tmp", mountPath: "/tmp" },
      { name: "data", mountPath: config.DATA_DIR! },
    ],
  };
  const pod: PodSpec = {
    automountServiceAccountToken: false,
    // The service drains by itself after SIGTERM (DRAIN_SECONDS), so no preStop hook is needed.
    terminationGracePeriodSeconds: DRAIN_S + FINISH_S,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: "RuntimeDefault" },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: labelsOf(name) },
      },
    ],
    containers: [container],
    volumes: [
      { name: "tmp", emptyDir: { sizeLimit: "256Mi" } },
      { name: "data", emptyDir: { sizeLimit: "64Mi" } },
    ],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: meta(name),
    spec: {
      replicas,
      // A new process is ready before an old one leaves.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: labelsOf(name) },
      template: { metadata: { labels: labelsOf(name) }, spec: pod },
    },
  };
}

const service = ({ name, ports: opened }: Workload): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: meta(name),
  spec: {
    selector: labelsOf(name),
    ports: opened.map((key) => ({ name: ports[key].name, port: ports[key].port, targetPort: ports[key].name })),
  },
});

const budget = ({ name }: Workload): PodDisruptionBudget => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: meta(name),
  spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } },
});

const ingress: Ingress = {
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: {
    ...meta("pestle"),
    annotations: {
      "cert-manager.io/cluster-issuer": "letsencrypt",
      "nginx.ingress.kubernetes.io/proxy-body-size": "8m",
      "nginx.ingress.kubernetes.io/proxy-buffering": "off",
    },
  },
  spec: {
    ingressClassName: "nginx",
    tls: [{ hosts: publicHosts().map(([host]) => host), secretName: "pestle-tls" }],
    rules: publicHosts().map(([host, workload, port]) => ({
      host,
      http: {
        paths: [
          { path: "/", pathType: "Prefix", backend: { service: { name: workload, port: { name: ports[port].name } } } },
        ],
      },
    })),
  },
};

function publicHosts(): [host: string, workload: string, port: PortName][] {
  const host = (url: string) => new URL(url).hostname;
  return [
    [host(config.BASE_URL!), "pestle-api", "PORT"],
    [host(config.AUTH_URL!), "pestle-token", "AUTH_PORT"],
    [host(config.SANDBOX_AUTH_URL!), "pestle-token", "SANDBOX_AUTH_PORT"],
  ];
}

/** Callers reach the ports that a workload serves, and Prometheus reaches PORT of each. */
const network = ({ name, ports: opened }: Workload): NetworkPolicy => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: meta(name),
  spec: {
    podSelector: { matchLabels: labelsOf(name) },
    policyTypes: ["Ingress"],
    ingress: [
      {
        from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
        ports: [{ port: ports.PORT.name }],
      },
      ...(opened.length === 0
        ? []
        : [
            {
              from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }],
              ports: opened.map((key) => ({ port: ports[key].name })),
            },
          ]),
    ],
  },
});

const configMap: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: meta("pestle-config", "pestle"),
  data: config,
};
const secret: Secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: meta("pestle-secrets", "pestle"),
  type: "Opaque",
  stringData: secrets,
};

/** Kubernetes reads words such as `off` as YAML 1.1 does: as false, unless they are quoted. */
const yaml = (one: object) => stringify(one, { lineWidth: 0, version: "1.1" });
const HEAD =
  "# Generated by `npm run docs` from scripts/deploy/kubernetes.ts. Adapt a copy, or patch it with kustomize.\n";
const documents = (about: string, ...all: object[]) =>
  `${HEAD}# ${about}\n${all.map((one) => `---\n${yaml(one)}`).join("")}`;

const files: Record<string, string> = {
  "config.yaml": documents(
    "Settings that are no secrets. Replace the host names, TRUST_PROXY by the network of the ingress controller's pods, and every PHARMACY_ setting: labels and reports print them.",
    configMap,
  ),
  ...Object.fromEntries(
    workloads.map((one) => [
      `${one.name.replace("pestle-", "")}.yaml`,
      documents(one.about, deployment(one), ...(one.ports.length > 0 ? [service(one)] : []), budget(one), network(one)),
    ]),
  ),
  "ingress.yaml": documents("The three host names, with TLS. Any other ingress or gateway works too.", ingress),
};

const kustomization = `${HEAD}# kubectl apply -k deploy/kubernetes/base, with your own secret pestle-secrets (secret.example.yaml)\n${yaml(
  {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    namespace: "pestle",
    resources: Object.keys(files),
  },
)}`;

/** The files of deploy/kubernetes/base. */
export const kubernetesFiles: { path: string; render: () => string }[] = [
  ...Object.entries(files),
  ["kustomization.yaml", kustomization] as const,
  [
    "secret.example.yaml",
    documents(
      "Not in the kustomization: keep the real one in your secret store. MASTER_KEY: openssl rand -hex 32",
      secret,
    ),
  ] as const,
].map(([name, text]) => ({ path: `deploy/kubernetes/base/${name}`, render: () => text }));
