import type { Account } from "../account.ts";
import { NUMBER_MARK } from "../intake-message.ts";
import type { Load } from "../load.ts";
import type { Stage } from "../stage.ts";
import { httpOperation, type Operation } from "./operation.ts";

const LEAST_WARM_UP_MS = 1_000;

/** E-prescriptions from the socket to the committed prescription and its event. */
export async function intakeOperations(stage: Stage, { partner, pgbench_account_id }: Account): Promise<Operation[]> {
  const { modules } = stage.checkout;
  const { intakeLoad, operatorOf } = modules["bench/intake.ts"];
  const ncpdp_id = partner.ncpdp_id!;
  const operator_id = await operatorOf(stage);
  const load = await intakeLoad(stage, operator_id, ncpdp_id);
  // The order book has patients with the numbers that pgbench gives to its own.
  const accounts = { operator_id, account_id: pgbench_account_id, ncpdp_id };
  const statements = await modules["bench/intake-pgbench.ts"].intakePgbench(stage, accounts);
  // Numbers continue across measurements, because message ids must be unique.
  let first = 1;
  const send = async (duration_ms: number, more: Partial<Load> = {}) => {
    const numbered = { mark: NUMBER_MARK, first };
    const measured = await stage.measure("NewRx", { ...load, duration_ms, numbered, ...more });
    first += measured.count;
    return measured;
  };
  const newRx = httpOperation(stage, {
    key: "newrx",
    name: "NewRx",
    send,
    ceiling: async (duration_ms) => stage.pgbench({ ...statements, duration_ms }),
  });
  return [
    {
      ...newRx,
      async warmUp(duration_ms) {
        // A short warm-up only shows that the bench works.
        await send(duration_ms, { at_least: duration_ms < LEAST_WARM_UP_MS ? 0 : load.requests.length });
        await newRx.warmUp(duration_ms);
        await checkPrescribed(stage, first - 1);
      },
    },
  ];
}

/** The service answers 200 for a message that it only stored too, but the bench measures prescriptions. */
async function checkPrescribed({ db }: Stage, messages: number): Promise<void> {
  const text = "select count(*)::int as made from prescription where sender_message_id ~ '^B-[0-9]{7}$'";
  const made = Number((await db.raw(text)).rows[0]!["made"]);
  if (made !== messages) throw new Error(`${messages} messages created ${made} prescriptions`);
}
