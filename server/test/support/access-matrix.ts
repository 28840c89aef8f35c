import { Agent, request } from "node:http";

/** Every method that a caller may try. The tables decide which of them a path has. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] as const;
export type Method = (typeof METHODS)[number];

/** The status for a method that a known path does not have. */
const WRONG_METHOD = 405;

export type Told = { status: number; text: string };
export type Asked = { url: string; method: string; headers: Readonly<Record<string, string>>; body?: string };

/** The outcome that the tables give for a cell. */
export type Outcome =
  /** The caller may do this. The body may still be wrong, but the caller never looks like a stranger. */
  | "allowed"
  /** Allowed, but one at a time: 429 while the work that another caller began is not done. */
  | "allowed in turn"
  /** 401: the caller must identify themselves first. */
  | "unknown caller"
  /** The same answer as for an address that does not exist. */
  | "hidden"
  /** The same answer as for a record that does not exist. */
  | "absent"
  | "wrong method";

export type Cell = {
  /** For the report: who asks for what. */
  name: string;
  outcome: Outcome;
  asked: Asked;
  /** For `absent`: the same request about records that do not exist. For `hidden`: about no known address. */
  like?: Asked;
  /** Texts that the answer must not contain. */
  without?: readonly string[];
};

/** One agent for the whole matrix: a few connections that stay open. */
export class Asker {
  readonly #agent: Agent;
  readonly #connections: number;
  readonly #known = new Map<string, Promise<Told>>();

  constructor(connections: number) {
    this.#connections = connections;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  ask({ url, method, headers, body }: Asked): Promise<Told> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const sent = request(url, { method, agent: this.#agent, headers: { ...headers, ...length } }, (answer) => {
        const status = answer.statusCode!;
        // A stream never ends. Its status is enough.
        if (answer.headers["content-type"]?.startsWith("text/event-stream")) {
          resolve({ status, text: "" });
          return void sent.destroy();
        }
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ status, text: Buffer.concat(chunks).toString() }));
        answer.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** Asks every cell and returns a line for each one whose answer the tables do not allow. */
  async wrongCells(
    cells: readonly Cell[],
    hide: (text: string) => string,
    at_once = this.#connections,
  ): Promise<string[]> {
    const wrong: string[] = [];
    const left = cells.values();
    const work = async () => {
      for (const cell of left) {
        const told = await this.ask(cell.asked);
        const like = cell.like && (await this.#once(cell.like));
        const leaks = cell.without?.some((text) => told.text.includes(text)) ?? false;
        if (leaks || !isAsExpected(cell.outcome, told, like, hide)) {
          const { method, url } = cell.asked;
          const seen = `${told.status} ${told.text.slice(0, 200)}`;
          const wanted = like === undefined ? "" : `, as ${like.status} ${like.text.slice(0, 200)}`;
          wrong.push(`${cell.name}: ${method} ${new URL(url).pathname}: ${seen}; expected: ${cell.outcome}${wanted}`);
        }
      }
    };
    await Promise.all(Array.from({ length: at_once }, work));
    return wrong;
  }

  /** The answer to compare with, once for equal requests. */
  #once(asked: Asked): Promise<Told> {
    const key = JSON.stringify(asked);
    const known = this.#known.get(key) ?? this.ask(asked);
    this.#known.set(key, known);
    return known;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function isAsExpected(
  outcome: Outcome,
  { status, text }: Told,
  like: Told | undefined,
  hide: (text: string) => string,
): boolean {
  if (status >= 500) return false;
  const same = like !== undefined && status === like.status && hide(text) === hide(like.text);
  if (outcome === "allowed") return ![401, 403, 404, 405, 429].includes(status);
  if (outcome === "allowed in turn") return ![401, 403, 404, 405].includes(status);
  if (outcome === "unknown caller") return status === 401;
  if (outcome === "hidden") return status === 404 && same;
  if (outcome === "absent") return status >= 400 && same;
  return status === WRONG_METHOD;
}
