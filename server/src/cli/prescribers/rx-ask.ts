import { WrongUsage } from "@pestle/cli/errors";
import { minute, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type ChangeCode, changeCodeNames, changeCodes } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { listPrescriberMessages } from "../../db/prescribers/prescriber-messages.ts";
import { askPrescriber } from "../../usecases/prescribers/ask-prescriber.ts";
import { AS, signedInStaff } from "../accounts/staff-session.ts";
import { withSchema, withVault } from "../session.ts";

const ACCOUNT = ["--account <account_id>", "the account, from `pestle partner list`", { required: true }] as const;
const MOST_SHOWN = 100;

type AskOptions = { account: string; code: ChangeCode; reason?: string; service?: string; as?: string };

export const rxAskCommands: readonly CommandRow[] = [
  {
    name: "rx ask",
    summary: "ask the prescriber to clarify or change a prescription (RxChangeRequest), as a pharmacist",
    argument: ["prescription_id", "the prescription"],
    options: [
      ACCOUNT,
      [
        "--code <code>",
        `what to ask for: ${changeCodeNames.map((code) => `${code} ${changeCodes[code]}`).join("; ")}`,
        { required: true, choices: changeCodeNames },
      ],
      ["--reason <text>", "the question, in 1 to 260 characters"],
      ["--service <code>", "with D: the reason of the evaluation, such as DD, DA or TD"],
      AS,
    ],
    examples: [
      'rx ask 183601 --account 3f9k2m8x1q7z --code S --reason "The directions contradict the quantity."',
      "rx ask 183601 --account 3f9k2m8x1q7z --code D --service DD",
    ],
    async run({ account, code, reason, service, as }: AskOptions, argument, env) {
      if (!/^[1-9]\d{0,14}$/.test(argument)) throw new WrongUsage("Give the number of a prescription.");
      const question = { code, reason: reason ?? null, service_reason: service ?? null };
      const prescription_id = Number(argument);
      const { message_id } = await withVault(readConfig(env), async (session) => {
        const { email } = await signedInStaff({ ...session, now: () => session.now }, env, as);
        return askPrescriber(session, { account_id: account, prescription_id, email, question }, session.now);
      });
      return { data: { account_id: account, prescription_id, message_id }, text: `Message ${message_id} is queued.` };
    },
  },
  {
    name: "rx sent",
    lists: "messages",
    summary: "list the newest messages to prescribers, with their delivery and answers",
    options: [ACCOUNT],
    examples: ["rx sent --account 3f9k2m8x1q7z"],
    async run({ account }: { account: string }, _argument, env) {
      const data = await withSchema(readConfig(env), ({ db }) => listPrescriberMessages(db, account, MOST_SHOWN));
      const rows = data.map((row) => [
        minute(row.created_at),
        row.message_id,
        row.kind,
        row.prescription_id === null ? "-" : String(row.prescription_id),
        row.response ?? row.fill ?? "-",
        row.state,
        String(row.attempts),
        row.error ?? "-",
      ]);
      const head = ["created", "message", "kind", "prescription", "says", "state", "attempts", "error"];
      return { data, text: rows.length === 0 ? "No messages." : table(head, rows) };
    },
  },
];
