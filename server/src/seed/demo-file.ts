import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { type Demo, demoFile } from "@pestle/cli/demo-file";

export { type Demo, type DemoPartner, readDemo, type SignIn } from "@pestle/cli/demo-file";

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
