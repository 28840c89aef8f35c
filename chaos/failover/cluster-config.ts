/** The ports of one machine: PostgreSQL, Patroni's REST API, etcd for clients and for its peers. */
export type Ports = { postgres: number; rest: number; etcd: number; peer: number };
type Machines = readonly (Ports & { name: string; folder: string })[];

/** How long Patroni waits for a primary that does not answer. Writes must return within 30 seconds. */
const LEASE_S = 12;
const LOOP_S = 2;
const RETRY_S = 4;
export const MOST_LAG_BYTES = 4 * 2 ** 20;
const HOST = "127.0.0.1";
const SCOPE = "pestle";
/** Where Patroni keeps the names of the synchronous replicas. */
export const SYNC_KEY = `/service/${SCOPE}/sync`;

export const etcdArguments = (machines: Machines, { name, folder, etcd, peer }: Machines[number]): string[] => {
  const url = (port: number) => `http://${HOST}:${port}`;
  return [
    ...["--name", name, "--data-dir", `${folder}/etcd`, "--logger", "zap", "--log-level", "error"],
    ...["--listen-client-urls", url(etcd), "--advertise-client-urls", url(etcd)],
    ...["--listen-peer-urls", url(peer), "--initial-advertise-peer-urls", url(peer)],
    ...["--initial-cluster", machines.map((one) => `${one.name}=${url(one.peer)}`).join(",")],
    ...["--initial-cluster-state", "new", "--initial-cluster-token", "pestle"],
  ];
};

/** Patroni reads YAML, and JSON is YAML. */
export const patroniConfig = (
  machines: Machines,
  { name, folder, postgres, rest }: Machines[number],
  bin_dir: string,
  synchronous: boolean,
): string =>
  JSON.stringify(
    {
      scope: SCOPE,
      name,
      restapi: { listen: `${HOST}:${rest}`, connect_address: `${HOST}:${rest}` },
      etcd3: { hosts: machines.map(({ etcd }) => `${HOST}:${etcd}`) },
      bootstrap: {
        dcs: {
          ttl: LEASE_S,
          loop_wait: LOOP_S,
          retry_timeout: RETRY_S,
          // A primary that crashed gives way to the replica that has everything, instead of recovering first.
          primary_start_timeout: 0,
          // A commit waits until a second server has it. Without a second server, writes wait too.
          synchronous_mode: synchronous,
          synchronous_mode_strict: synchronous,
          // With asynchronous replication, a replica that lacks more of the log does not become the primary.
          maximum_lag_on_failover: MOST_LAG_BYTES,
          // A server on an older timeline does not run for the lead. Patroni 3.0 lets a primary that was frozen lead again all the same.
          check_timeline: true,
          postgresql: {
            use_pg_rewind: true,
            use_slots: true,
            parameters: {
              max_connections: 100,
              wal_log_hints: "on",
              max_wal_size: "256MB",
              wal_keep_size: "128MB",
              shared_buffers: "64MB",
            },
          },
        },
        initdb: [{ encoding: "UTF8" }, "no-locale", { auth: "trust" }],
      },
      postgresql: {
        listen: `${HOST}:${postgres}`,
        connect_address: `${HOST}:${postgres}`,
        data_dir: `${folder}/data`,
        bin_dir,
        pgpass: `${folder}/pgpass`,
        basebackup: { checkpoint: "fast" },
        parameters: { unix_socket_directories: folder },
        pg_hba: ["local all all trust", `host all all ${HOST}/32 trust`, `host replication all ${HOST}/32 trust`],
        authentication: {
          superuser: { username: "postgres", password: "campaign" },
          replication: { username: "replicator", password: "campaign" },
        },
      },
    },
    null,
    2,
  );

/** One address for the service. Only the server that Patroni calls the primary gets connections. */
export const haproxyConfig = (machines: Machines, port: number, socket: string): string => `global
  stats socket ${socket} mode 600 level admin
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind ${HOST}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${machines.map(({ name, postgres, rest }) => `  server ${name} ${HOST}:${postgres} check port ${rest}`).join("\n")}
`;
