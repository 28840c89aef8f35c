import { CommandRefusal } from "@pestle/cli/errors";
import { logCommands as commandsFrom, NO_REQUEST, type OpenRequests, requestsOverApi } from "@pestle/cli/requests/logs";
import { statusRange } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { listOwnRequests, loadRequest, type RequestPosition } from "../../db/operations/request-log.ts";
import { loggedRequest } from "../../domain/operations/logged-request.ts";
import { hasDatabase, withSchema } from "../session.ts";

const PAGE = 1_000;
const NEWEST: RequestPosition = {
  at: new Date("9999-12-31T00:00:00Z"),
  request_id: "00000000-0000-0000-0000-000000000000",
};

/** With `--account` an operator reads any account's requests from the database; otherwise they come over the API. */
const openRequests: OpenRequests = async (options, env, work) => {
  const { account: account_id } = options;
  if (account_id === undefined) return requestsOverApi(options, env, work);
  const config = readConfig(env);
  if (!hasDatabase(config)) {
    throw new CommandRefusal(
      "--account reads the service's database, which is not on this machine. Omit it to use the API.",
    );
  }
  return withSchema(config, async ({ db }) => {
    const accounts = await listAccounts(db);
    if (!accounts.some((row) => row.account_id === account_id)) {
      throw new CommandRefusal("This database has no such account. Run `pestle partner list` to see them.");
    }
    return work({
      async *newest(since, status) {
        const filter = {
          statuses: status === undefined ? null : statusRange(status),
          method: null,
          route: null,
          since,
        };
        for (let before: RequestPosition | null = NEWEST; before !== null; ) {
          const page: Awaited<ReturnType<typeof listOwnRequests>> = await listOwnRequests(
            db,
            account_id,
            filter,
            before,
            PAGE,
          );
          yield* page.rows.map((row) => loggedRequest(account_id, row));
          before = page.next;
        }
      },
      async one(request_id) {
        const row = await loadRequest(db, account_id, request_id);
        if (row === undefined) throw new CommandRefusal(NO_REQUEST);
        return loggedRequest(account_id, row);
      },
    });
  });
};

export const logCommands = commandsFrom(openRequests, [
  ["--account <account_id>", "an account of this machine's database, from `pestle partner list`"],
]);
