import {
  bearerErrors,
  type ErrorCode,
  errorAreas,
  errorCodes,
  errorDocUrl,
  errors,
  fieldProblems,
  genders,
  MOST_ALLOWED,
  MOST_CODES,
  MOST_DETAILS,
  oauthErrors,
  statuses,
  statusMessages,
  statusOf,
} from "@pestle/contract";
import { type ErrorExample, errorCauses } from "../../contract/src/error-causes.ts";
import { code, fence, generated, page, table } from "./markdown.ts";

export function errorsPage() {
  const areas = errorAreas.map(({ area, last }, index) => {
    const first = index === 0 ? 0 : errorAreas[index - 1]!.last + 1;
    const codes = errorCodes.filter((number) => number >= first && number <= last);
    const rows = codes.map((number) => {
      const [message, field, resolution] = errors[number];
      return [number, statusOf(number), message, code(field), resolution];
    });
    return [
      `## ${area}\n`,
      table(["code", "status", "message", "field", "resolution"], rows),
      ...codes.map(errorSection),
    ].join("\n");
  });
  return page(
    generated("`contract/src/errors.ts`"),
    "# Errors\n",
    "You will know what each error means and how to correct the request. An answer with status 400 or 422 lists every problem with the request at once, with one entry per code, ordered by code:\n",
    fence(
      "json",
      JSON.stringify(
        {
          errors: [
            {
              code: 42205,
              message: errors[42205][0],
              error_detail: [
                {
                  field: errors[42205][1],
                  message: errors[42205][2],
                  problem: "not_allowed",
                  allowed: genders,
                  did_you_mean: "F",
                },
              ],
              doc_url: errorDocUrl("https://api.pharmacy.example", 42205),
            },
          ],
          request_id: "5f1c2b8e-3a47-4d0b-9c6e-7d2f8a1b4c3d",
        },
        null,
        2,
      ),
    ),
    `Codes that begin with 40 have status 400, and codes that begin with 42 have status 422. Branch on the code, because the texts may change. In \`field\`, \`[]\` is an index, as in \`items[0].ndc\`. An answer has at most ${MOST_CODES} codes, and ${MOST_DETAILS} fields per code.\n`,
    "`doc_url` is the section of this page about the error. Every error body, of every status, has a `request_id`: quote it when you ask about the answer.\n",
    "## Problems\n",
    `\`problem\` says what is wrong with the field. \`allowed\` lists the values that it accepts, if they are at most ${MOST_ALLOWED}. \`did_you_mean\` is the name or value of the API that resembles yours most.\n`,
    table(
      ["problem", "meaning"],
      Object.entries(fieldProblems).map(([name, meaning]) => [code(name), meaning]),
    ),
    ...areas,
    "## Statuses\n",
    table(
      ["status", "meaning"],
      Object.entries(statuses).map(([status, meaning]) => [status, meaning]),
    ),
    'Errors with these statuses have no codes. Their body is `{"error": {"error_code", "message", "doc_url"}, "request_id"}`.\n',
    ...Object.entries(statusMessages).map(([status, message]) => statusSection(Number(status), message)),
    "## Credentials and tokens\n",
    'The token servers and the API refuse credentials and tokens with the errors of OAuth: `{"error", "error_description", "doc_url", "request_id"}`.\n',
    ...Object.entries(oauthErrors).map(([name, row]) => namedSection(name, row, "The token servers answer")),
    ...Object.entries(bearerErrors).map(([name, row]) => namedSection(name, row, "The API answers")),
  );
}

function statusSection(status: number, message: string) {
  const [name = "", ...meaning] = statuses[status as keyof typeof statuses].split(". ");
  return page(`### ${status} ${name}\n`, meaning.join(". "), "", `- **Message:** ${message}`, "");
}

function namedSection(name: string, [status, description]: readonly [number, string], who: string) {
  return page(`### ${name}\n`, `${who} with status ${status}.\n`, `- **Message:** ${description}`, "");
}

function errorSection(number: ErrorCode) {
  const [message, field, resolution] = errors[number];
  const { cause, fix, example } = errorCauses[number];
  return page(
    `### ${number} ${message}\n`,
    `Status ${statusOf(number)}, usually at ${code(field)}.\n`,
    `- **Cause:** ${cause}`,
    `- **Fix:** ${fix === undefined ? resolution : `${resolution} ${fix}`}`,
    ...(example === null ? [] : errorExample(example)),
  );
}

function errorExample(example: ErrorExample): string[] {
  if ("order" in example) {
    const { prescription, order } = example;
    const written = prescription === undefined ? "" : `a prescription with ${inline(prescription)}, and `;
    return Object.keys(order).length === 0
      ? [`- **Example:** ${written}an otherwise valid order for it`]
      : [`- **Example:** ${written}a body for ${code("POST /orders")} with\n`, fence("json", JSON.stringify(order))];
  }
  if ("schedule" in example) return scheduleExample(example);
  const { request, headers = {}, body, order_status, after_messages } = example;
  const lines = [request, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const where =
    order_status !== undefined
      ? ` for an order that is ${order_status}`
      : after_messages !== undefined
        ? ` after ${after_messages} messages about the order`
        : "";
  return [`- **Example:**${where}\n`, fence("text", [...lines, ...(body === undefined ? [] : ["", body])].join("\n"))];
}

const inline = (value: object) => code(JSON.stringify(value));

function scheduleExample({ prescription, schedule, next }: Extract<ErrorExample, { schedule: object }>): string[] {
  const written = prescription === undefined ? "" : `a prescription with ${code(JSON.stringify(prescription))}, and `;
  const body =
    Object.keys(schedule).length === 0
      ? "an otherwise valid schedule for it"
      : `a body for ${code("POST /refill_schedules")} with`;
  const sent = Object.keys(schedule).length === 0 ? [] : [fence("json", JSON.stringify(schedule))];
  if (next === undefined) return [`- **Example:** ${written}${body}${sent.length === 0 ? "" : "\n"}`, ...sent];
  const request = next === "create" ? "/refill_schedules` again" : `/refill_schedules/{schedule_id}/${next}\``;
  return [`- **Example:** a valid schedule, and then \`POST ${request}`];
}
