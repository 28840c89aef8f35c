/**
 * Every metric of `/metrics` beside those of Node (`pestle_process_…`, `pestle_nodejs_…`). The rules, the dashboard and
 * docs/operators/metrics.md are checked against this table or made from it.
 */
export type MetricRow = {
  type: "counter" | "gauge" | "histogram";
  meaning: string;
  labels: readonly string[];
  /** Of a histogram: the upper bounds of its buckets, in seconds. */
  buckets?: readonly number[];
};

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const ATTEMPT_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15] as const;
const LAG_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600] as const;

export const metricTable = {
  pestle_http_request_duration_seconds: {
    type: "histogram",
    meaning: "Time from the first byte of a request to the last byte of its response.",
    labels: ["listener", "environment", "method", "route", "status"],
    buckets: BUCKETS_S,
  },
  pestle_webhook_attempt_duration_seconds: {
    type: "histogram",
    meaning:
      "Duration of a webhook attempt, by the delivery's status after it: delivered, pending (will retry) or failed.",
    labels: ["delivery_status"],
    buckets: ATTEMPT_BUCKETS_S,
  },
  pestle_webhook_first_attempt_lag_seconds: {
    type: "histogram",
    meaning: "Time from writing an event to its first delivery attempt.",
    labels: ["environment"],
    buckets: LAG_BUCKETS_S,
  },
  pestle_provider_request_duration_seconds: {
    type: "histogram",
    meaning: "Duration of a call of a payment, carrier, address or message provider, with its retries.",
    labels: ["provider", "what", "outcome"],
    buckets: ATTEMPT_BUCKETS_S,
  },
  pestle_provider_breaker_open: {
    type: "gauge",
    meaning: "1 while calls of a provider are refused because it failed several times in a row.",
    labels: ["provider"],
  },
  pestle_provider_events_total: {
    type: "counter",
    meaning: "Signed messages of payment, carrier and message providers, by outcome.",
    labels: ["provider", "outcome"],
  },
  pestle_faults_total: {
    type: "counter",
    meaning: "Broken database connections, failed runs of background jobs and unexpected ends of the sandbox process.",
    labels: ["kind"],
  },
  pestle_request_log_dropped_total: {
    type: "counter",
    meaning: "Requests missing from the request log because it could not be written fast enough.",
    labels: [],
  },
  pestle_trace_spans_dropped_total: {
    type: "counter",
    meaning: "Spans that the collector did not receive because it was out of reach or too slow.",
    labels: [],
  },
  pestle_ready: { type: "gauge", meaning: "1 while /readyz answers 200.", labels: [] },
  pestle_process_info: {
    type: "gauge",
    meaning: "1, with the version and the roles of the process.",
    labels: ["version", "roles"],
  },
  pestle_safety_fit: {
    type: "gauge",
    meaning:
      "1 while orders are checked against this version of the safety tables, 0 while they are put on hold instead.",
    labels: ["version"],
  },
  pestle_sandbox_process_up: {
    type: "gauge",
    meaning: "1 while the process of the sandbox accepts requests; absent if the sandbox has none of its own.",
    labels: [],
  },
  pestle_audit_root_timestamp_seconds: {
    type: "gauge",
    meaning: "When the newest root of the audit log was signed. One is signed every hour.",
    labels: [],
  },
  pestle_audit_roots_unshipped: {
    type: "gauge",
    meaning: "Signed roots of the audit log that a destination of AUDIT_ROOTS_TO has not received.",
    labels: ["destination"],
  },
  pestle_data_losses_open: {
    type: "gauge",
    meaning: "Failovers and restores that may have lost acknowledged writes and that no operator has closed.",
    labels: [],
  },
  pestle_clock_offset_seconds: {
    type: "gauge",
    meaning: "By how much the clock of this machine is ahead of the database's.",
    labels: [],
  },
  pestle_certificate_expiry_timestamp_seconds: {
    type: "gauge",
    meaning: "When the certificate in TLS_CERT_FILE expires; absent without one.",
    labels: [],
  },
  pestle_data_dir_free_bytes: { type: "gauge", meaning: "Free space for DATA_DIR.", labels: [] },
  pestle_overdue_work: {
    type: "gauge",
    meaning: "Records that a job should have handled by now: webhooks, messages, prescriptions, parcels, payments.",
    labels: ["what"],
  },
  pestle_overdue_work_age_seconds: {
    type: "gauge",
    meaning: "How long the oldest of them has been due; 0 if there is none.",
    labels: ["what"],
  },
  pestle_database_size_bytes: { type: "gauge", meaning: "Size of the database.", labels: [] },
  pestle_database_replicas: {
    type: "gauge",
    meaning: "Servers and tools that receive the write-ahead log of the database at the moment.",
    labels: [],
  },
  pestle_database_replicas_wanted: {
    type: "gauge",
    meaning: "1 if PostgreSQL waits for a replica before it acknowledges a commit (synchronous_standby_names).",
    labels: [],
  },
  pestle_replica_reads_total: {
    type: "counter",
    meaning:
      "Reads that a replica may answer: answered by a replica, or by the primary because the replicas were behind or out of reach, or because one failed.",
    labels: ["answered"],
  },
  pestle_replica_up: {
    type: "gauge",
    meaning: "1 while a replica of READ_DATABASE_URL answers reads.",
    labels: ["replica"],
  },
  pestle_replica_lag_seconds: {
    type: "gauge",
    meaning:
      "The most that a replica can be behind; absent while that is unknown. A mark is written every second or two.",
    labels: ["replica"],
  },
  pestle_wal_archive_timestamp_seconds: {
    type: "gauge",
    meaning: "When PostgreSQL last archived a WAL segment; absent without archiving.",
    labels: [],
  },
  pestle_wal_archive_failing: {
    type: "gauge",
    meaning: "1 if the last try to archive a WAL segment failed.",
    labels: [],
  },
  pestle_backup_timestamp_seconds: {
    type: "gauge",
    meaning: "When `pestle backup` last wrote a complete file; absent if it never did.",
    labels: [],
  },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof metricTable;
export type MetricsOf<Type extends MetricRow["type"]> = {
  [Name in MetricName]: (typeof metricTable)[Name]["type"] extends Type ? Name : never;
}[MetricName];
export type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof metricTable)[Name]["labels"][number], string>>;
