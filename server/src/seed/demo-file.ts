import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type SignIn = { email: string; password: string };
type DemoPerson = SignIn & { name: string; role: string };
export type DemoPartner = {
  name: string;
  workflow: string;
  environment: "production" | "sandbox";
  account_id: string;
  client_id: string;
  client_secret: string;
  ncpdp_id: string | null;
  portal: SignIn;
};
export type Demo = {
  base_url: string;
  auth_url: string;
  sandbox_auth_url: string;
  operator: SignIn;
  /** A technician and two pharmacists; empty for a demo that version 0.1.0 seeded. */
  people: DemoPerson[];
  partners: DemoPartner[];
  intake: { environment: "sandbox"; client_id: string; client_secret: string };
};

const demoFile = (data_dir: string) => join(data_dir, "demo.json");

/** The credentials of the demo. Commands read them without loading what seeds it. */
export function readDemo(data_dir: string): Demo | undefined {
  if (!existsSync(demoFile(data_dir))) return undefined;
  const demo = JSON.parse(readFileSync(demoFile(data_dir), "utf8")) as Omit<Demo, "people"> & Partial<Demo>;
  return { ...demo, people: demo.people ?? [] };
}

/** Written atomically and readable only by its owner. With a database elsewhere, the folder may not exist yet. */
export function writeDemo(data_dir: string, demo: Demo): void {
  const draft = `${demoFile(data_dir)}.${process.pid}`;
  try {
    mkdirSync(data_dir, { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(draft, demoFile(data_dir));
  } catch (error) {
    // Without the code of the file system, which a transaction would take for that of a lost connection.
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot write demo.json to ${data_dir} (${code}). Set DATA_DIR to a writable folder.`);
  }
}
