import type { Queryable } from "../db/db.ts";
import { loadPosition, loadReplicaView } from "../db/replica.ts";
import { type Finding, finding } from "../usecases/operations/check-up.ts";

const MUCH_BYTES = 16 * 1024 ** 2;
const PRIMARY_ANSWERS = "until then the primary answers its reads";

/** Asks each replica of READ_DATABASE_URL how far it is behind the primary. */
export const checkReplicas = (
  primary: Queryable,
  replicas: readonly { name: string; watch: Queryable }[],
): Promise<Finding[]> =>
  Promise.all(
    replicas.map(async ({ name, watch }) => {
      const what = `replica ${name}`;
      try {
        const position = await loadPosition(primary);
        const view = await loadReplicaView(watch);
        if (view === undefined)
          return finding(
            what,
            "warning",
            "it answers, but no service with READ_DATABASE_URL has written to the primary yet",
          );
        const behind = Math.max(0, position - view.position);
        const says = `${Math.ceil(behind / 1024)} KiB behind`;
        if (behind > MUCH_BYTES)
          return finding(
            what,
            "warning",
            `${says}: check its connection to the primary and its load; ${PRIMARY_ANSWERS}`,
          );
        return finding(what, "ok", says);
      } catch {
        return finding(what, "warning", `out of reach: check READ_DATABASE_URL and the server; ${PRIMARY_ANSWERS}`);
      }
    }),
  );
