import type { PrescriptionChange, Workflow } from "@pestle/contract";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { medicationRequest } from "../../domain/intake/medication-request.ts";
import type { PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { rxStatusChanged } from "../../domain/webhooks/rx-status-changed.ts";
import { randomEventId } from "../../random.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { sealEvent } from "../webhooks/event-body.ts";

export type StatusDeps = Pick<Deps, "vault" | "bus" | "copies"> & { config: Pick<Config, "TIME_ZONE"> };

/** RX_STATUS_CHANGED as its row stores it. `prescription` is what it is after the change. */
export async function statusEvent(
  deps: StatusDeps,
  db: Database,
  change: PrescriptionChange,
  prescription: PrescriptionFact,
  { account_id, workflow, now }: { account_id: string; workflow: Workflow; now: Date },
) {
  const { formulary } = await readCatalogue({ ...deps, db }, account_id, db);
  const time_zone = deps.config.TIME_ZONE;
  const rules = { formulary, time_zone, now, today: dateIn(time_zone, now) };
  const request = medicationRequest(prescription, workflow, rules);
  return sealEvent(deps.vault, account_id, rxStatusChanged(change, request, now, randomEventId()));
}
