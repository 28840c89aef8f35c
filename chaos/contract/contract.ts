import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Demo } from "../../server/src/seed/demo-file.ts";
import { ask } from "../ask.ts";
import { connectToPostgres } from "../postmaster.ts";
import { type From, killServer, removeDataDir, startServer } from "../server-process.ts";
import { type ContractRequest, shownRequest, variedRequest } from "./contract-requests.ts";
import { openScene } from "./contract-scene.ts";
import { type Operation, readOpenapi } from "./openapi-document.ts";

export type ContractTally = {
  operations: number;
  requests: number;
  /** By operation: how many answers of each status. */
  answers: Record<string, Record<string, number>>;
  faults: string[];
};

const SENDERS = 4;

/**
 * Builds `count` requests for each operation from the served OpenAPI document, sends them to the service, and checks
 * every answer against the document. Status, headers, body and codes must be documented. A 500 is a fault, and so is
 * a success for a request that the document forbids.
 */
export async function holdToContract(given: { demo: Demo; count: number; seed: number }): Promise<ContractTally> {
  const { demo, count, seed } = given;
  const document = readOpenapi((await ask(`${demo.base_url}/openapi.json`))!.text);
  const scene = await openScene(demo);
  const tally: ContractTally = { operations: document.operations.length, requests: 0, answers: {}, faults: [] };
  for (const { operation_id } of document.operations) tally.answers[operation_id] = {};

  const send = async (operation: Operation, request: ContractRequest) => {
    const reply = await ask(request.url, request.init);
    const name = `${operation.operation_id} (${request.kind})`;
    const shown = `${request.init.method} ${request.url.slice(0, 300)} ${String(request.init.body ?? "").slice(0, 600)}`;
    const blame = (fault: string) => void tally.faults.push(`${name}: ${fault} to ${shown}`);
    tally.requests += 1;
    if (reply === undefined) return blame("no answer");
    const answers = tally.answers[operation.operation_id]!;
    answers[reply.status] = (answers[reply.status] ?? 0) + 1;
    if (reply.status >= 500) blame(`${reply.status}`);
    // A dry run succeeds and reports that it would create nothing.
    if (reply.status < 300 && !reply.text.startsWith('{"would_create":false')) {
      for (const forbidden of request.forbidden) blame(`${reply.status} although ${forbidden}`);
    }
    for (const complaint of document.complaints(operation, reply)) blame(complaint);
  };

  // First the document's example for each operation, while all records still exist.
  for (const operation of document.operations) await send(operation, await shownRequest(operation, scene, true));
  const work = document.operations.flatMap((operation, index) =>
    Array.from({ length: count - 1 }, (_, turn) => ({ operation, turn, own: seed + index * 1_000_003 + turn })),
  );
  // Concurrent, in the order of the turns, so that no operation has the service to itself.
  work.sort((a, b) => a.turn - b.turn);
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (let next = work.shift(); next !== undefined; next = work.shift()) {
        await send(next.operation, await variedRequest(document, scene, next.operation, next.own));
      }
    }),
  );
  for (const { operation_id, responses } of document.operations) {
    const statuses = Object.keys(tally.answers[operation_id] ?? {}).map(Number);
    if (!statuses.some((status) => status < 300)) tally.faults.push(`${operation_id}: no request succeeded`);
    // The service rejects a public read only without HTTPS.
    if ("401" in responses && !statuses.some((status) => status >= 400))
      tally.faults.push(`${operation_id}: no request was rejected`);
  }
  return tally;
}

/** Runs on its own service, with rate limits that do not slow the campaign. */
export async function onOwnService<T>(from: From, run: (demo: Demo) => Promise<T>): Promise<T> {
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-contract-"));
  const server = await startServer({ data_dir, from });
  try {
    const client = await connectToPostgres(data_dir);
    await client.query("update account set rate_per_second = 100000, rate_burst = 100000").finally(() => client.end());
    return await run(server.demo);
  } finally {
    await killServer(server);
    await removeDataDir(data_dir);
  }
}
