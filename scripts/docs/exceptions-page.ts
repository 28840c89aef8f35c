import {
  type ActionField,
  type ActionKey,
  actionLimits,
  actions,
  type ExceptionId,
  exceptionIds,
  exceptionRow,
  overrideReasons,
  paymentDeclines,
  type QuestionExceptionId,
  questionExceptions,
  SHORTEST_OVERRIDE_TEXT,
  situations,
} from "@pestle/contract";
import { exceptionFixes } from "../../contract/src/exception-fixes.ts";
import { code, fence, generated, page, table } from "./markdown.ts";

export function exceptionsPage() {
  const rows = exceptionIds.map((id) => {
    const { name, actions: offered, who_acts, overridden_by } = exceptionRow(id);
    return [id, name, offered.map((key) => offer(key, id)).join(", "), who_acts, overridden_by];
  });
  return page(
    generated("`contract/src/exceptions.ts` and `contract/src/actions.ts`"),
    "# Exceptions\n",
    "You will know why an order is On Hold, and what ends the hold. An order is On Hold exactly while at least one exception is open on it. Each exception offers actions. Send one as `event` to `POST /orders/{order_number}/partner_order_action_requests`, with its fields next to it.\n",
    table(["id", "name", "actions", "who acts", "overridden by"], rows),
    `\`overridden by\`: who in the pharmacy may close the exception, with a reason, while its cause still exists. A pharmacist needs a current license, and gives one of these codes and a text of at least ${SHORTEST_OVERRIDE_TEXT} characters. The service signs the code, the text and the license number in the history.\n`,
    table(
      ["override code", "meaning"],
      Object.entries(overrideReasons).map(([key, meaning]) => [code(key), meaning]),
    ),
    "`order_actions` of an order lists only the actions that would succeed now. In these situations it leaves an action out, and the service rejects the action with the code.\n",
    table(["action", "exceptions", "not offered if", "code"], actionLimits.map(limitRow)),
    "A confirmation by `verify` or a `confirm_` action lasts until the data changes.\n",
    "## One by one\n",
    "[Test your integration](partners/testing.md#every-hold) has commands that get each exception in the sandbox.\n",
    ...exceptionIds.map(exceptionSection),
  );
}

const offer = (key: ActionKey, exception: number) => {
  const fields: readonly ActionField[] = actions[key].fields;
  const names = fields
    .filter(({ only_exceptions }) => only_exceptions?.includes(exception) ?? true)
    .map(({ name }) => name);
  return names.length > 0 ? `${code(key)} {${names.join(", ")}}` : code(key);
};

const limitRow = ({ action, exceptions, situation, code: answer }: (typeof actionLimits)[number]) => [
  code(action),
  exceptions === "any" ? "any" : exceptions.join(", "),
  situations[situation],
  answer,
];

function exceptionSection(id: ExceptionId) {
  const { name, message, raised_when, who_acts, resolves_itself } = exceptionRow(id);
  const { fix, send } = exceptionFixes[id];
  return page(
    `### ${id} ${name}\n`,
    `${message}\n`,
    `- **Cause:** ${raised_when}`,
    `- **Fix:** ${fix}`,
    `- **Who acts:** the ${who_acts}${resolves_itself === undefined ? "" : `; or it closes automatically: ${lowerFirst(resolves_itself)}`}`,
    ...questionLine(id),
    ...declineLines(id),
    "- **Example:** to `POST /orders/{order_number}/partner_order_action_requests`\n",
    fence("json", JSON.stringify(send)),
  );
}

/** The messages of exception 80 that name a reason. */
const declineLines = (id: ExceptionId): string[] =>
  id === 80
    ? [
        "- **Message:** if the payment provider gives a reason, the message is one of these:",
        ...Object.values(paymentDeclines).map((text) => `  - ${text}`),
        "- **Link:** if the patient has to confirm the payment, the message ends with the link for the patient.",
      ]
    : [];

/** The exceptions with which a question of the pharmacy can hold an order. */
const questionLine = (id: ExceptionId): string[] => {
  const asked: { about: string } | undefined = questionExceptions[id as QuestionExceptionId];
  if (asked === undefined) return [];
  return [
    `- **Question:** the pharmacy can ask about ${asked.about}, and [your answer](guides/answer-the-pharmacy.md) ends the hold.`,
  ];
};

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, "");
