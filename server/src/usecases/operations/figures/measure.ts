import { X509Certificate } from "node:crypto";
import { readFileSync, statfsSync } from "node:fs";
import { listLags } from "../../../db/operations/lags.ts";
import { loadMeasures, loadOverdueWebhooks } from "../../../db/operations/measures.ts";
import { loadServerFacts } from "../../../db/operations/server-facts.ts";
import type { Deps } from "../../../deps.ts";

const seconds = (at: Date | null) => (at === null ? undefined : at.getTime() / 1000);

/** Sets the gauges of this process and its machine. */
export async function measureProcess(deps: Deps): Promise<void> {
  const { metrics, config } = deps;
  const asked_ms = deps.now().getTime();
  const { clock } = await loadServerFacts(deps.db);
  const answered_ms = deps.now().getTime();
  // The database read its clock at some moment between the two.
  const [ahead_ms, behind_ms] = [asked_ms - clock.getTime(), clock.getTime() - answered_ms];
  metrics.setGauge("pestle_clock_offset_seconds", (ahead_ms > 0 ? ahead_ms : behind_ms > 0 ? -behind_ms : 0) / 1000);
  metrics.setGauge("pestle_data_dir_free_bytes", freeBytes(config.DATA_DIR));
}

/** Sets the gauges of the database and its work. One process of a service is enough. */
export async function measureDatabase(deps: Deps): Promise<void> {
  const { metrics } = deps;
  const now = deps.now();
  const found = await loadMeasures(deps.db);
  metrics.setGauge("pestle_database_size_bytes", found.size_bytes);
  metrics.setGauge("pestle_database_replicas", found.replicas);
  metrics.setGauge("pestle_database_replicas_wanted", found.replicas_wanted ? 1 : 0);
  metrics.setGauge("pestle_wal_archive_timestamp_seconds", seconds(found.archived_at));
  metrics.setGauge(
    "pestle_wal_archive_failing",
    found.archive_failing === null ? undefined : Number(found.archive_failing),
  );
  metrics.setGauge("pestle_backup_timestamp_seconds", seconds(found.backed_up_at));
  const webhooks = { what: "webhooks", ...(await loadOverdueWebhooks(deps.db, now)) };
  for (const { what, waiting, oldest_at } of [webhooks, ...(await listLags(deps.db, now))]) {
    const age_s = oldest_at === null ? 0 : Math.max(0, (now.getTime() - oldest_at.getTime()) / 1000);
    metrics.setGauge("pestle_overdue_work", waiting, { what });
    metrics.setGauge("pestle_overdue_work_age_seconds", age_s, { what });
  }
}

/** The end of the certificate that the listeners have just read. A newer file counts after the next start. */
export const measureCertificate = ({ metrics, config }: Pick<Deps, "metrics" | "config">): void =>
  metrics.setGauge("pestle_certificate_expiry_timestamp_seconds", expiryOf(config.TLS_CERT_FILE));

/** Undefined if there is no certificate, or none that can be read: `pestle doctor` says why. */
function expiryOf(file: string): number | undefined {
  if (file === "") return undefined;
  try {
    return new Date(new X509Certificate(readFileSync(file)).validTo).getTime() / 1000;
  } catch {
    return undefined;
  }
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
