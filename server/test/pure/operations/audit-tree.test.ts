import { createHash, generateKeyPairSync } from "node:crypto";
import { canonicalJson, emptyRoot, nodeHash, rootFromPath, rootIsSignedBy, signRoot } from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { workStepsNow } from "../../../../sdk/src/crypto/work-steps.ts";
import { openTree, partsOf, pathOf, pathParts, type StoredNode } from "../../../src/domain/operations/audit-tree.ts";
import { rootTargets } from "../../../src/domain/operations/root-targets.ts";

const leafOf = (bytes: Buffer) => createHash("sha256").update(Buffer.of(0)).update(bytes).digest();
const leaves = Array.from({ length: 66_000 }, (_, index) => leafOf(Buffer.from(`entry ${index}`)));

/** RFC 6962, 2.1, word for word. */
function naiveRoot(part: readonly Buffer[]): Buffer {
  if (part.length === 0) return emptyRoot();
  if (part.length === 1) return part[0]!;
  let k = 1;
  while (k * 2 < part.length) k *= 2;
  return nodeHash(naiveRoot(part.slice(0, k)), naiveRoot(part.slice(k)));
}

const none = () => {
  throw new Error("an empty tree needs no hash");
};
const stored = new Map<string, Buffer>(leaves.map((leaf, place) => [`0 ${place}`, leaf]));
const whole = openTree(0, none);
for (const leaf of leaves)
  for (const { level, place, hash } of whole.add(leaf) as StoredNode[]) stored.set(`${level} ${place}`, hash);
const get = (level: number, place: number) => stored.get(`${level} ${place}`)!;

describe("the tree of the audit log", () => {
  test("has the roots of the test vectors of Certificate Transparency", () => {
    const vectors = [
      "",
      "00",
      "10",
      "2021",
      "3031",
      "40414243",
      "5051525354555657",
      "606162636465666768696a6b6c6d6e6f",
    ];
    const tree = openTree(0, none);
    const roots = vectors.map((hex) => {
      tree.add(leafOf(Buffer.from(hex, "hex")));
      return tree.root().toString("hex");
    });
    expect(emptyRoot().toString("hex")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(roots[0]).toBe("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    expect(roots[7]).toBe("5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
  });

  test.each([1, 2, 3, 255, 256, 257, 511, 512, 1_000, 65_793])(
    "of %i entries opens from few stored hashes, and has the root of RFC 6962",
    (size) => {
      expect(partsOf(size).length).toBeLessThan(3 * 256);
      const tree = openTree(size, get);
      expect(tree.size).toBe(size);
      expect(tree.root()).toEqual(naiveRoot(leaves.slice(0, size)));
    },
  );

  test.each([
    [0, 1],
    [0, 2],
    [5, 7],
    [255, 256],
    [256, 257],
    [300, 1_000],
    [65_999, 66_000],
    [0, 66_000],
    [65_536, 66_000],
  ])("the path of entry %i leads to the root of %i entries, and to no other", (position, size) => {
    expect(pathParts(position, size).length).toBeLessThan(6 * 256);
    const path = pathOf(position, size, get);
    const root = openTree(size, get).root();
    const from = (leaf: Buffer, at = position, of = size, along = path) => {
      const found = workStepsNow(rootFromPath(leaf, at, of, along));
      return found && Buffer.from(found);
    };
    expect(from(leaves[position]!)).toEqual(root);
    expect(from(leaves[position + 1] ?? leaves[0]!)).not.toEqual(size === 1 ? undefined : root);
    expect(from(leaves[position]!, position, size, [...path, root])).toBeUndefined();
    expect(from(leaves[position]!, size)).toBeUndefined();
    for (let index = 0; index < path.length; index++) {
      const broken = path.with(index, leaves[1_234]!);
      expect(from(leaves[position]!, position, size, broken)).not.toEqual(root);
    }
  });
});

test("an entry is hashed as canonical JSON: sorted names, no spaces", () => {
  expect(canonicalJson({ b: null, a: ['é"\n', "x"], c: 12 })).toBe('{"a":["é\\"\\n","x"],"b":null,"c":12}');
});

test("a signature covers every field of a root", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const key_id = createHash("sha256")
    .update(Buffer.from(publicKey.replaceAll(/-----[^-]+-----|\n/g, ""), "base64"))
    .digest("hex")
    .slice(0, 16);
  const log_id = "00000000-0000-4000-8000-000000000000";
  const root = signRoot({ form: 1, log_id, size: 3, root: "ab", at: "2026-01-01T00:00:00.000Z", key_id }, privateKey);
  expect(rootIsSignedBy(root, publicKey)).toBe(true);
  for (const change of [{ log_id: "x" }, { size: 4 }, { root: "ac" }, { at: "2026-01-01T00:00:01.000Z" }])
    expect(rootIsSignedBy({ ...root, ...change }, publicKey)).toBe(false);
  expect(rootIsSignedBy({ ...root, key_id: "0".repeat(16) }, publicKey)).toBe(false);
});

test("the name of a destination has no secret of its URL", () => {
  const targets = rootTargets("https://w.example/hook/secret?token=secret, syslog+tls://log.example:6514,/a/b");
  expect(targets?.map(({ name }) => name)).toEqual([
    "webhook https://w.example",
    "syslog+tls://log.example:6514",
    "file /a/b",
  ]);
});
