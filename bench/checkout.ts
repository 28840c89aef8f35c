import { execFileSync } from "node:child_process";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { addPatients } from "../chaos/add-patients.ts";
import { readConfig } from "../server/src/config.ts";
import { openDb } from "../server/src/db/db.ts";
import { masterKeys } from "../server/src/vault/master-key.ts";
import { openVault } from "../server/src/vault/vault.ts";
import { intakeLoad, operatorOf } from "./intake.ts";
import { intakePgbench } from "./intake-pgbench.ts";
import { bookPatient, fillOrderBook, ORDERS_PER_PATIENT, PACKAGE_SIZE, patientId } from "./order-book.ts";
import { addProducts, productOf } from "./order-catalogue.ts";
import { orderPgbench, SAMPLE_NUMBER } from "./order-pgbench.ts";
import { issueToken, prepareAccount } from "./prepare-account.ts";
import { tokenPgbench } from "./token-pgbench.ts";

/*
 * A bench measures a service over HTTP, but prepares its database with the modules of the same checkout, because tables
 * and keys differ between versions. These paths and names have been the same since 0.1.0.
 */
const own = {
  "chaos/add-patients.ts": { addPatients },
  "server/src/config.ts": { readConfig },
  "server/src/db/db.ts": { openDb },
  "server/src/vault/master-key.ts": { masterKeys },
  "server/src/vault/vault.ts": { openVault },
  "bench/intake.ts": { intakeLoad, operatorOf },
  "bench/intake-pgbench.ts": { intakePgbench },
  "bench/order-book.ts": { bookPatient, fillOrderBook, ORDERS_PER_PATIENT, PACKAGE_SIZE, patientId },
  "bench/order-catalogue.ts": { addProducts, productOf },
  "bench/order-pgbench.ts": { orderPgbench, SAMPLE_NUMBER },
  "bench/prepare-account.ts": { issueToken, prepareAccount },
  "bench/token-pgbench.ts": { tokenPgbench },
};
type Modules = typeof own;

export type Checkout = { root: string; name: string; commit: string; modules: Modules };

const ROOT = resolve(fileURLToPath(new URL("..", import.meta.url)));

/** Another checkout needs its packages and a build. */
export async function openCheckout(path = "."): Promise<Checkout> {
  const root = resolve(ROOT, path);
  const about = { root, name: relative(ROOT, root) || "this checkout", commit: commitOf(root) };
  if (root === ROOT) return { ...about, modules: own };
  const modules = await Promise.all(
    Object.keys(own).map(async (file) => [file, await import(pathToFileURL(join(root, file)).href)]),
  );
  return { ...about, modules: Object.fromEntries(modules) as Modules };
}

function commitOf(root: string): string {
  try {
    const text = execFileSync("git", ["describe", "--always", "--dirty"], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    });
    return text.trim();
  } catch {
    return "unknown";
  }
}
