import { WrongUsage } from "@pestle/cli/errors";
import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import {
  type PartialFillRequester,
  partialFillRequesters,
  requestPartialFill,
} from "../../usecases/fulfillment/request-partial-fill.ts";
import { AS, signedInStaff } from "../accounts/staff-session.ts";
import { withVault } from "../session.ts";

type Options = { account: string; as?: string; requestedBy: PartialFillRequester; note: string };

export const partialFillCommands: readonly CommandRow[] = [
  {
    name: "rx partial",
    summary: "record that the patient or the prescriber requested a partial fill of a schedule 2 prescription",
    argument: ["prescription_id", "the prescription"],
    options: [
      ["--account <account_id>", "the account, from `pestle partner list`", { required: true }],
      AS,
      ["--requested-by <who>", "who requested it", { required: true, choices: partialFillRequesters }],
      ["--note <text>", "how the request came, on one line, without patient data", { required: true }],
    ],
    examples: ['rx partial 183601 --account 3f9k2m8x1q7z --requested-by patient --note "Portal message."'],
    async run({ account, as, requestedBy, note }: Options, argument, env) {
      if (!/^\d{1,15}$/.test(argument)) throw new WrongUsage("Give the number of the prescription.");
      const given = { account_id: account, prescription_id: Number(argument), requested_by: requestedBy, note };
      const data = await withVault(readConfig(env), async (session) => {
        const { email } = await signedInStaff({ ...session, now: () => session.now }, env, as);
        return requestPartialFill(session, { ...given, email }, session.now);
      });
      return {
        data,
        text: `Recorded. The rest of prescription ${data.prescription_id} can ship until 30 days after the written date.`,
      };
    },
  },
];
