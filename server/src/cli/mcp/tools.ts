import type { PartnerAccount, PartnerOptions } from "@pestle/cli/accounts/partner-account";
import { WrongUsage } from "@pestle/cli/errors";
import { orderPath } from "@pestle/cli/orders/orders";
import { type PartnerApi, partnerApiOf } from "@pestle/cli/partner-api";
import type { CommandRow } from "@pestle/cli/program";
import { exceptionIds, exceptions, orderStatuses, simulations } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { docsOf } from "./read-docs.ts";

export type FindCommands = (first_word: string) => Promise<CommandRow[]>;
type Given = {
  account: PartnerAccount;
  /** The options that chose the account. */
  chosen: Pick<PartnerOptions, "profile" | "partner">;
  allow_writes: boolean;
  findCommands: FindCommands;
  env: NodeJS.ProcessEnv | undefined;
};
type Arguments = Record<string, unknown>;

/** A tool as an assistant sees it. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  /** A JSON Schema of an object. */
  input: { type: "object"; properties: Record<string, object>; required?: string[]; additionalProperties: false };
  /** It changes the sandbox. Offered with --allow-writes only. */
  writes?: true;
  run(given: Arguments): Promise<string | object>;
};

const text = (description: string) => ({ type: "string", description });
const order_number = text("Ten characters, such as 7K2M9XQ4TB");
const takes = (properties: Record<string, object>, ...required: string[]): Tool["input"] => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

export function toolsFor({ account, chosen, allow_writes, findCommands, env }: Given): Tool[] {
  const docs = docsOf(account.base_url);
  let opened: PartnerApi | undefined;
  const api = () => {
    opened ??= partnerApiOf(account, readConfig(env));
    return opened;
  };
  const where = `${account.environment} account ${account.client_id}`;

  const all: Tool[] = [
    {
      name: "search_docs",
      title: "Search the documentation",
      description: "Finds guides, API operations and error codes. Typos are tolerated. Read a hit with read_doc.",
      input: takes({ query: text("Words, an operation such as POST /orders, or an error code") }, "query"),
      run: async ({ query }) => ({ hits: await docs.search(String(query)) }),
    },
    {
      name: "read_doc",
      title: "Read a page of the documentation",
      description: "A page as Markdown, or one section of it.",
      input: takes({ path: text("Such as /docs/guides/webhooks, or /docs/errors#42242 for one section") }, "path"),
      run: ({ path }) => docs.read(String(path)),
    },
    {
      name: "explain_error",
      title: "Explain an error",
      description:
        "Explains an error code (42242), an exception that holds an order (64 to 80), or a request of this account by the request_id of its answer: what was wrong, and how to fix it.",
      input: takes({
        code: { type: "integer", description: "An error code or an exception id" },
        request_id: text("From the X-Request-Id header or the error's body"),
      }),
      async run({ code, request_id }) {
        if ((code === undefined) === (request_id === undefined))
          throw new WrongUsage("Give either code or request_id.");
        if (code !== undefined) return docs.read(pageOfCode(Number(code)));
        // As `pestle logs show` finds it.
        const show = (await findCommands("logs")).find(({ name }) => name === "logs show")!;
        return (await show.run(chosen, String(request_id), env))!.data;
      },
    },
    {
      name: "list_orders",
      title: "List orders",
      description: `The newest orders of the ${where}.`,
      input: takes({
        order_status: { type: "string", enum: [...orderStatuses] },
        exception_id: { type: "integer", enum: [...exceptionIds], description: "Only where it is open" },
        patient_id: text("Only of this patient"),
        limit: { type: "integer", minimum: 1, maximum: 25, default: 10 },
      }),
      run: (given) =>
        api().request("GET", "/orders", { query: { limit: 10, ...(given as Record<string, string | number>) } }),
    },
    {
      name: "get_order",
      title: "Look at an order",
      description: `An order of the ${where}: status, items, parcels, and open exceptions with the actions that resolve them.`,
      input: takes({ order_number }, "order_number"),
      run: ({ order_number: number }) => api().request("GET", orderPath(String(number))),
    },
    {
      name: "try_order",
      title: "Check an order without placing it",
      description:
        "A dry run of POST /orders: every error and hold that the order would get, and its price. Saves nothing.",
      input: takes({ order: { type: "object", description: "The body of POST /orders" } }, "order"),
      run: ({ order }) => api().request("POST", "/orders", { query: { dry_run: "true" }, body: order as object }),
    },
    {
      name: "create_order",
      title: "Place an order in the sandbox",
      description: "POST /orders. Nothing ships to real people.",
      writes: true,
      input: takes({ order: { type: "object", description: "The body of POST /orders" } }, "order"),
      run: ({ order }) => api().request("POST", "/orders", { body: order as object }),
    },
    {
      name: "act_on_order",
      title: "Act on an order in the sandbox",
      description: "Resolves an exception, holds, cancels or refunds. get_order lists the actions of each exception.",
      writes: true,
      input: takes(
        { order_number, action: { type: "object", description: 'Such as {"event":"update_email","email":"…"}' } },
        "order_number",
        "action",
      ),
      run: ({ order_number: number, action }) =>
        api().request("POST", `${orderPath(String(number))}/partner_order_action_requests`, { body: action as object }),
    },
    {
      name: "simulate",
      title: "Simulate in the sandbox",
      description:
        "POST /simulate: a prescription that arrives, an order that moves or is held, a message of the pharmacy, an event, or the clock. /docs/guides/sandbox has the fields.",
      writes: true,
      input: takes(
        {
          simulation_type: { type: "string", enum: Object.keys(simulations) },
          simulation: { type: "object", description: 'Such as {"drug_name":"atorvastatin"} for a prescription' },
        },
        "simulation_type",
        "simulation",
      ),
      run: (body) => api().request("POST", "/simulate", { body }),
    },
  ];
  return all.filter(({ writes }) => allow_writes || !writes);
}

const pageOfCode = (code: number): string =>
  Object.hasOwn(exceptions, code) ? `/docs/exceptions#${code}` : `/docs/errors#${code}`;
