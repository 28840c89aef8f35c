import {
  type CertifyFacts,
  type CertifyReport,
  certifyRandom,
  certifySteps,
  hasPassed,
  type PlannedDelivery,
  type PortalCertification,
  type ReceiverAnswer,
  signReport,
  WEBHOOK_USER_AGENT,
} from "@pestle/contract";
import type { AccountRow } from "../../db/accounts/accounts.ts";
import { auditKeyPlace, listAuditKeys } from "../../db/operations/audit-roots.ts";
import {
  beginCertification,
  findCertification,
  finishCertification,
  runningCertification,
} from "../../db/webhooks/certifications.ts";
import { findEndpoint, lockEndpoints } from "../../db/webhooks/endpoints.ts";
import { loadSigningEndpoint } from "../../db/webhooks/portal-webhooks.ts";
import type { Deps } from "../../deps.ts";
import { faultOf, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import type { EndpointAnswer } from "../../domain/webhooks/attempt-outcome.ts";
import { endpointProblem } from "../../domain/webhooks/webhook-endpoint.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { audited, type PortalActor } from "../operations/audit-portal.ts";
import { openSigningSecrets } from "./explain-signature.ts";

/** A run ends after this long, with the checks that it has. */
const LONGEST_RUN_MS = 60_000;
/** After this long, a run without a result ended with its process. */
const LOST_AFTER_MS = 3 * LONGEST_RUN_MS;
const TRY_AGAIN_AFTER_S = 30;
/** No event has this id: the secrets are loaded without an exchange. */
const NO_EVENT = "00000000-0000-0000-0000-000000000000";

/** Starts to certify an endpoint. Each account has one run at a time. The portal reads the result later. */
export async function startCertification(
  deps: Deps,
  account: AccountRow,
  by: PortalActor,
  endpoint_id: string,
  pestle_version: string,
): Promise<void> {
  const { account_id } = account;
  const { url, started_at } = await audited(deps, by, async (tx, now) => {
    await lockEndpoints(tx, account_id);
    const endpoint = await findEndpoint(tx, account_id, endpoint_id);
    if (endpoint === undefined) throw new StatusRefusal(404);
    if (endpoint.status !== "active") refuseAll([endpointProblem("status", "disabled")]);
    const lost = new Date(now.getTime() - LOST_AFTER_MS);
    if ((await runningCertification(tx, account_id, lost)) !== undefined) {
      throw new StatusRefusal(429, TRY_AGAIN_AFTER_S);
    }
    await beginCertification(tx, account_id, endpoint_id, now);
    return { action: "endpoint_tested", subject: endpoint_id, done: { url: endpoint.url, started_at: now } };
  });
  // It takes longer than a request may, so nothing waits for it.
  void runCertification(deps, account, endpoint_id, { url, pestle_version })
    .then(async (report) => {
      if (report === "closed") return;
      const run = { started_at, report: report && JSON.stringify(report), now: deps.now() };
      await finishCertification(deps.db, account_id, endpoint_id, run);
    })
    .catch((error: unknown) =>
      deps.log.error({ account_id, endpoint_id, err: faultOf(error) }, "a certification ended without a result"),
    );
}

type Asked = { url: string; pestle_version: string };

/** Null if the endpoint was removed meanwhile. "closed": the service shuts down. */
async function runCertification(
  deps: Deps,
  { account_id, environment }: AccountRow,
  endpoint_id: string,
  { url, pestle_version }: Asked,
): Promise<CertifyReport | null | "closed"> {
  const secrets = await withKeysOfNow(deps, async () => {
    const endpoint = await loadSigningEndpoint(deps.db, account_id, endpoint_id, NO_EVENT);
    return endpoint && openSigningSecrets(deps, account_id, endpoint_id, endpoint);
  });
  if (secrets === undefined) return null;
  const now = deps.now();
  let closed = false;
  const steps = certifySteps(
    {
      url,
      operator_name: deps.config.OPERATOR_NAME,
      user_agent: WEBHOOK_USER_AGENT,
      secrets,
      now,
      // A receiver in production must do nothing with a made-up event.
      test: environment === "production",
      ...certifyRandom(),
    },
    { isOver: () => closed || deps.now().getTime() - now.getTime() > LONGEST_RUN_MS },
  );
  const send = async (delivery: PlannedDelivery) => {
    const answer = await deps.webhook_client.send({ environment, url, ...delivery });
    closed ||= answer.trouble === "CLOSED";
    return answerOf(answer);
  };
  let next = steps.next();
  // A receiver shows its state to its own developer alone.
  while (!next.done) {
    const { deliveries } = next.value;
    next = steps.next(deliveries === null ? null : await Promise.all(deliveries.map(send)));
  }
  const checks = next.value;
  if (closed) return "closed";
  return signedByPharmacy(deps, {
    form: 1,
    kind: "receiver",
    subject: url,
    account_id,
    environment,
    at: deps.now().toISOString(),
    run_by: "pharmacy",
    effects_checked: false,
    passed: hasPassed(checks, false),
    checks,
    pestle_version,
  });
}

const answerOf = ({ status, trouble }: EndpointAnswer): ReceiverAnswer =>
  status === null ? { status, trouble: trouble === "DEADLINE" ? "timeout" : "connection" } : { status, trouble: null };

/** With the key that signs the audit log's roots. Its public key is at /audit-keys.json. */
const signedByPharmacy = (deps: Deps, facts: CertifyFacts): Promise<CertifyReport> =>
  withKeysOfNow(deps, async () => {
    const [key] = await listAuditKeys(deps.db);
    if (key === undefined) throw new Error("there is no key to sign with");
    const private_key = deps.vault.open(key.private_sealed, auditKeyPlace(key.key_id)).toString("utf8");
    return signReport(facts, { public_key: key.public_key, private_key });
  });

/** The run that is under way and the last report of an endpoint. */
export async function readCertification(
  deps: Pick<Deps, "db" | "now">,
  account_id: string,
  endpoint_id: string,
): Promise<PortalCertification> {
  const [endpoint, found] = await Promise.all([
    findEndpoint(deps.db, account_id, endpoint_id),
    findCertification(deps.db, account_id, endpoint_id),
  ]);
  if (endpoint === undefined) throw new StatusRefusal(404);
  if (found === undefined) return { running: false, report: null };
  const { started_at, finished_at, report } = found;
  return {
    running: finished_at === null && deps.now().getTime() - started_at.getTime() < LOST_AFTER_MS,
    report: report === null ? null : (JSON.parse(report) as CertifyReport),
  };
}
