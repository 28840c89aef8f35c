import { type ErrorCode, errorAreas, errorCodes, errors, statuses, statusOf } from "@pestle/contract";
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
    "An answer with status 400 or 422 lists every problem with the request at once, with one entry per code, ordered by code:\n",
    fence(
      "json",
      JSON.stringify(
        {
          errors: [
            {
              code: 42227,
              message: errors[42227][0],
              error_detail: [{ field: errors[42227][1], message: errors[42227][2] }],
            },
          ],
        },
        null,
        2,
      ),
    ),
    "Codes that begin with 40 have status 400, and codes that begin with 42 have status 422. Branch on the code, because the texts may change. In `field`, `[]` is an index, as in `items[0].ndc`.\n",
    ...areas,
    "## Statuses\n",
    table(
      ["status", "meaning"],
      Object.entries(statuses).map(([status, meaning]) => [status, meaning]),
    ),
  );
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
