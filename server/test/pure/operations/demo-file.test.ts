import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Demo, readDemo, writeDemo } from "../../../src/seed/demo-file.ts";

const demo = { people: [], partners: [] } as unknown as Demo;
const folder = mkdtempSync(join(tmpdir(), "pestle-demo-file-"));

test("the demo's credentials go into a folder that did not exist, for its owner only", () => {
  const data_dir = join(folder, "new", "data");
  writeDemo(data_dir, demo);
  expect(readDemo(data_dir)).toEqual(demo);
  expect(statSync(join(data_dir, "demo.json")).mode & 0o777).toBe(0o600);
});

test("a folder that cannot be written is named, and its error does not look like a lost connection", () => {
  writeFileSync(join(folder, "a-file"), "");
  const data_dir = join(folder, "a-file", "data");
  const write = () => writeDemo(data_dir, demo);
  expect(write).toThrow(`Cannot write demo.json to ${data_dir} (ENOTDIR). Set DATA_DIR to a writable folder.`);
  try {
    write();
  } catch (error) {
    expect(error).not.toHaveProperty("code");
  }
});
