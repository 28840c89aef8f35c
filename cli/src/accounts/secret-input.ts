import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { CommandRefusal } from "../errors.ts";

/** Reads a secret from a pipe, without the newline that `echo` adds. */
export async function readSecretFromStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const secret = Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  if (secret === "") throw new CommandRefusal("Standard input is empty.");
  return secret;
}

export const hasTerminal = () => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks twice on the terminal without echo. */
export const promptNewPassword = () =>
  silently(async (lines) => {
    const password = await ask(lines, "Password: ");
    if ((await ask(lines, "Again: ")) !== password) throw new CommandRefusal("The two passwords differ.");
    return password;
  });

/** Asks once on the terminal without echo. */
export const promptSecret = (question: string) => silently((lines) => ask(lines, question));

/** Asks for a line with echo. */
export async function promptLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  try {
    return (await answerOf(lines, question)).trim();
  } finally {
    lines.close();
  }
}

async function silently<Answer>(work: (lines: Interface) => Promise<Answer>): Promise<Answer> {
  // Creating the interface turns off echo, so do it before asking.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await work(lines);
  } finally {
    lines.close();
  }
}

async function ask(lines: Interface, question: string): Promise<string> {
  try {
    return await answerOf(lines, question);
  } finally {
    process.stderr.write("\n");
  }
}

async function answerOf(lines: Interface, question: string): Promise<string> {
  process.stderr.write(question);
  const cancelled = new AbortController();
  const answer = once(lines, "line", { signal: cancelled.signal });
  for (const ending of ["SIGINT", "close"]) lines.once(ending, () => cancelled.abort());
  try {
    return String((await answer)[0]);
  } catch {
    throw new CommandRefusal("Canceled.");
  }
}
