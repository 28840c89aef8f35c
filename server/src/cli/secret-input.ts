import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { AdminRefusal } from "../usecases/admin-refusal.ts";

/** A secret from a pipe, without the line end that `echo` adds. */
export async function readSecretFromStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const secret = Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  if (secret === "") throw new AdminRefusal("Nothing came on standard input.");
  return secret;
}

export const hasTerminal = () => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks twice on the terminal, and shows nothing of what is typed. */
export async function promptNewPassword(): Promise<string> {
  // The terminal stops echoing when the interface is made, so that comes before the question.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    const password = await ask(lines, "Password: ");
    if ((await ask(lines, "Again: ")) !== password) throw new AdminRefusal("The two passwords differ.");
    return password;
  } finally {
    lines.close();
  }
}

async function ask(lines: Interface, question: string): Promise<string> {
  process.stderr.write(question);
  const cancelled = new AbortController();
  const answer = once(lines, "line", { signal: cancelled.signal });
  for (const ending of ["SIGINT", "close"]) lines.once(ending, () => cancelled.abort());
  try {
    return String((await answer)[0]);
  } catch {
    throw new AdminRefusal("Cancelled.");
  } finally {
    process.stderr.write("\n");
  }
}
