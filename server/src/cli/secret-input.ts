import { createInterface } from "node:readline";
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
  const password = await promptHidden("Password: ");
  if ((await promptHidden("Again: ")) !== password) throw new AdminRefusal("The two passwords differ.");
  return password;
}

function promptHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    for (const ending of ["SIGINT", "close"]) lines.once(ending, () => reject(new AdminRefusal("Cancelled.")));
  }).finally(() => {
    lines.close();
    process.stderr.write("\n");
  });
}
