import { SimulatedMessage } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuse, refuseAll } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { prepareStaffMessage, writeStaffMessage } from "../fulfillment/send-staff-message.ts";
import { WorkRefusal } from "../fulfillment/work-refusal.ts";
import type { Simulation } from "./simulation.ts";
import { simulatedPharmacist } from "./walk-order.ts";

/** `{"order_number","text"}` writes as the pharmacy. With `exception_id` it is a question that holds the order. */
export const simulateMessage: Simulation = async (deps, { account_id }, simulation, problems) => {
  const { fields, problems: found } = readBody(SimulatedMessage, simulation, "simulation.");
  refuseAll([...problems, ...found]);
  const { order_number = "", text = "", exception_id = null } = fields;
  const work = { account_id, order_number, by: simulatedPharmacist };
  const said = { text, in_reply_to: null, exception_id };
  const situations = await prepareStaffMessage(deps, work, said);
  return {
    attempt: async (tx) => {
      const playing: Deps = { ...deps, db: tx };
      const { message_id } = await withKeysOfNow(playing, () =>
        writeStaffMessage(playing, tx, work, said, situations),
      ).catch(unlessRefused);
      return { message_id };
    },
  };
};

/** What the pharmacy may not do now, the sandbox refuses too. */
function unlessRefused(error: unknown): never {
  if (!(error instanceof WorkRefusal)) throw error;
  return error.key === "too_many_messages"
    ? refuse(42283, "simulation.text")
    : refuse(42463, "simulation.exception_id");
}
