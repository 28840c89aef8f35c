import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Scene } from "./contract-scene.ts";
import type { OpenapiDocument } from "./openapi-document.ts";

export type Witness = {
  url: string;
  /** By operation: how many answers of each status. */
  answers: Record<string, Record<string, number>>;
  faults: string[];
  close(): void;
};

/** What belongs to one connection, or is said anew for the other one. */
const OF_ONE_HOP = new Set(["host", "connection", "keep-alive", "content-length", "transfer-encoding", "accept"]);

/**
 * Stands between a tester and the service, hands requests and answers on, and holds every answer to the document. It
 * says what the tester cannot: which host an operation is on, and the `Accept` header, which OpenAPI describes nowhere.
 */
export async function openWitness(document: OpenapiDocument, { demo }: Scene): Promise<Witness> {
  const answers: Witness["answers"] = {};
  const faults: string[] = [];
  const routes = document.operations.map((operation) => ({
    operation,
    fits: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, "http://witness");
    const found = routes.find(({ operation, fits }) => operation.method === request.method && fits.test(pathname));
    const operation = found?.operation;
    const base = operation?.on_token_server ? demo.sandbox_auth_url : demo.base_url;
    const body = await read(request);
    const headers = new Headers({ accept: "application/json" });
    for (const [name, value] of Object.entries(request.headers)) {
      if (!OF_ONE_HOP.has(name)) headers.set(name, String(value));
    }
    const init = { method: request.method!, headers, ...(body.length > 0 && { body }) };
    const answer = await fetch(`${base}${request.url}`, init);
    const text = await answer.text();
    if (operation !== undefined) {
      const { operation_id } = operation;
      const counts = answers[operation_id] ?? {};
      answers[operation_id] = { ...counts, [answer.status]: (counts[answer.status] ?? 0) + 1 };
      const told = document.complaints(operation, { status: answer.status, headers: answer.headers, text });
      if (answer.status >= 500) told.push(`${answer.status}`);
      faults.push(...told.map((complaint) => `${operation_id}: ${complaint}`));
    }
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => !OF_ONE_HOP.has(name))),
    );
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    faults,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function read(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return new Uint8Array(Buffer.concat(chunks));
}
