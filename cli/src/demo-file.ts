import { existsSync, readFileSync } from "node:fs";
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

export const demoFile = (data_dir: string) => join(data_dir, "demo.json");

/** The credentials of the demo. Commands read them without loading what seeds it. */
export function readDemo(data_dir: string): Demo | undefined {
  if (!existsSync(demoFile(data_dir))) return undefined;
  const demo = JSON.parse(readFileSync(demoFile(data_dir), "utf8")) as Omit<Demo, "people"> & Partial<Demo>;
  return { ...demo, people: demo.people ?? [] };
}
