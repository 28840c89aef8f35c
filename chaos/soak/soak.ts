import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { readConfig } from "../../server/src/config.ts";
import { openDb } from "../../server/src/db/db.ts";
import { products } from "../../server/src/seed/cast.ts";
import type { Demo } from "../../server/src/seed/demo-file.ts";
import { masterKeys } from "../../server/src/vault/master-key.ts";
import { openVault } from "../../server/src/vault/vault.ts";
import { addPatients } from "../add-patients.ts";
import { ask, insist } from "../ask.ts";
import { issue, tokenOf } from "../client.ts";
import { newDataFolder } from "../data-folder.ts";
import { brokenInvariants } from "../invariants/in-database.ts";
import { headersOf, liftLimits } from "../journeys.ts";
import { type From, killServer, removeDataDir, startServer, stopServer } from "../server-process.ts";
import { median } from "../siege/siege.ts";
import { until } from "../until.ts";
import { useOfProcesses } from "./process-use.ts";
import type { Sample } from "./soak-judge.ts";
import { type Account, SOAK_PATIENT, soakRequests } from "./soak-requests.ts";

type SoakTally = {
  requests: number;
  kinds: Record<string, number>;
  /** Test events that the service accepted, and those that arrived. */
  events: number;
  arrived: number;
  samples: Sample[];
  faults: string[];
};
export type Soak = {
  /** Sends so many requests, and measures. */
  send(requests: number, random: () => number): Promise<SoakTally>;
  close(): Promise<void>;
};

/** Partners of the demo: one in the sandbox, one in production. */
const PARTNERS = [0, 2];
const SAMPLE_EVERY_MS = 1_000;
const DEADLINE_MS = 120_000;
const PRESCRIPTION = 80_000_000;
const SECRET = "what the partner chose";

/** Starts the service once for all parts of a sitting: a new process has no past that its memory could show. */
export async function openSoak(
  own: { database_url: string; master_key: string },
  { from, connections }: { from: From; connections: number },
): Promise<Soak> {
  const data_dir = await newDataFolder("soak", from);
  const env = { DATABASE_URL: own.database_url, MASTER_KEY: own.master_key, SANDBOX_PROCESS: "separate" };
  const server = await startServer({ data_dir, from, env, args: ["--demo"] });
  const db = openDb({ connection: { connectionString: own.database_url }, pool_size: 1, named_statements: false });
  const receiver = await openCounter();
  const agent = new Agent({ connections, pipelining: 1 });
  const sitting = new Date().toISOString();
  const { demo } = server;
  const vault = await openVault(
    db,
    () => masterKeys(readConfig({ DATABASE_URL: own.database_url, MASTER_KEY: own.master_key })),
    new Date(),
  );
  const accounts: Account[] = [];
  for (const number of PARTNERS) {
    const partner = demo.partners[number]!;
    await liftLimits(db, partner.account_id);
    await addPatients({ db, vault }, partner.account_id, [
      {
        patient_id: SOAK_PATIENT,
        prescriptions: [{ prescription_id: PRESCRIPTION, product: products[0]!, written_qty: 30, refills: 0 }],
      },
    ]);
    const token = tokenOf(await insist(() => issue(demo, partner), DEADLINE_MS));
    const sandbox = partner.environment === "sandbox";
    accounts.push({
      token,
      client_id: partner.client_id,
      client_secret: partner.client_secret,
      auth_url: sandbox ? demo.sandbox_auth_url : demo.auth_url,
      endpoint_id: sandbox ? await addEndpoint(demo, token, receiver.url) : null,
    });
  }
  return {
    async send(requests, random) {
      const tally: SoakTally = { requests: 0, kinds: {}, events: 0, arrived: 0, samples: [], faults: [] };
      const before = receiver.arrived();
      const times_ms: number[] = [];
      const uses: ReturnType<typeof useOfProcesses>[] = [];
      const look = () => void uses.push(useOfProcesses(server.pid));
      const looking = setInterval(look, SAMPLE_EVERY_MS);
      let next = 0;
      const client = async (_: unknown, place: number) => {
        const draw = soakRequests(demo, accounts[place % accounts.length]!, random, `${sitting}-${place}`);
        while (next < requests && tally.faults.length === 0) {
          next++;
          const { kind, right, url, headers, method, body, learn } = draw();
          const { origin, pathname, search } = new URL(url);
          const begin_ms = performance.now();
          const answer = await agent.request({
            ...{ origin, path: pathname + search, method, headers },
            ...(body !== undefined && { body }),
          });
          const text = await answer.body.text();
          times_ms.push(performance.now() - begin_ms);
          tally.requests += 1;
          const { statusCode: status } = answer;
          const counted = status === 429 ? `${kind} over the limit` : kind;
          tally.kinds[counted] = (tally.kinds[counted] ?? 0) + 1;
          if (!right.includes(status)) tally.faults.push(`${kind} got ${status}: ${text.slice(0, 200)}`);
          else learn?.({ status, headers: answer.headers, text });
          if (kind === "event") tally.events += 1;
        }
      };
      const failed = (error: Error) => void tally.faults.push(`a request failed: ${error.message}`);
      await Promise.all(Array.from({ length: connections }, (_, place) => client(_, place).catch(failed)));
      clearInterval(looking);
      look();
      await until("every event arrived", () => receiver.arrived() - before >= tally.events, {
        deadline_ms: DEADLINE_MS,
      }).catch((error: Error) => tally.faults.push(error.message));
      tally.arrived = receiver.arrived() - before;
      for (const { account_id } of PARTNERS.map((number) => demo.partners[number]!))
        tally.faults.push(...(await brokenInvariants(db, "soak", account_id)));
      if (server.ended() !== undefined) tally.faults.push(`the service ended: ${server.errors().trim()}`);
      tally.samples.push(sampleOf(sitting, times_ms, uses));
      return tally;
    },
    async close() {
      await agent.close();
      await db.close();
      await stopServer(server).finally(() => killServer(server));
      await receiver.close();
      await removeDataDir(data_dir);
    },
  };
}

async function addEndpoint(demo: Demo, token: string, url: string): Promise<string> {
  const body = JSON.stringify({ url, secret: SECRET });
  const reply = await ask(`${demo.base_url}/webhook_endpoints`, { method: "POST", headers: headersOf(token), body });
  if (reply?.status !== 201) throw new Error(`an endpoint got ${reply?.status}: ${reply?.text}`);
  return (JSON.parse(reply.text) as { id: string }).id;
}

function sampleOf(sitting: string, times_ms: number[], uses: readonly ReturnType<typeof useOfProcesses>[]): Sample {
  const sorted = times_ms.sort((a, b) => a - b);
  const at = (share: number) => Number((sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(2));
  const medians = (field: "resident_bytes" | "descriptors") =>
    Object.fromEntries(
      Object.keys(uses.at(-1)!).map((process) => [process, median(uses.map((use) => use[process]?.[field] ?? 0))]),
    );
  return {
    ...{ sitting, requests: times_ms.length, p50_ms: at(0.5), p99_ms: at(0.99) },
    ...{ resident_bytes: medians("resident_bytes"), descriptors: medians("descriptors") },
  };
}

/** Takes webhooks and counts them: the bodies of millions would fill the memory. */
async function openCounter() {
  let arrived = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      arrived += 1;
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived: () => arrived,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
