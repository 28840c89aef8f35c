import { environments } from "@pestle/contract";
import { listAccounts } from "../db/accounts/accounts.ts";
import { saveBrands, saveLicences, saveProducts, saveShippingMethods } from "../db/catalogue/catalogue-rows.ts";
import { enterStock, type StockEntry } from "../db/catalogue/stock.ts";
import type { Deps } from "../deps.ts";
import { createPartnerAccount, operatorAccount } from "../usecases/accounts/create-partner.ts";
import { createPerson, demoPassword } from "../usecases/accounts/create-person.ts";
import { createCredential } from "../usecases/accounts/manage-credentials.ts";
import { brands, licences, operator, partners, people, products, shippingMethods } from "./cast.ts";
import { type DemoPartner, type SignIn, writeDemo } from "./demo-file.ts";

/** Stocks the shelves through a normal receipt. */
const firstDelivery: StockEntry[] = products
  .filter(({ on_hand_units }) => on_hand_units > 0)
  .map(({ sku, on_hand_units }) => ({ sku, kind: "received", units: on_hand_units, order_number: null, note: "demo" }));

/**
 * Seeds an empty database with the demo cast. Writes the credentials file before the commit: after a crash in between,
 * the next start finds an empty database and seeds again, instead of a database whose secrets are lost.
 */
export async function seedDemo(deps: Pick<Deps, "config" | "db" | "vault" | "now">): Promise<boolean> {
  if ((await listAccounts(deps.db)).length > 0) return false;
  const now = deps.now();
  const staff = people(now);
  const passwords = new Map(
    [operator, ...staff, ...partners.map(({ portal }) => portal)].map(({ email }) => [email, demoPassword()]),
  );
  const signIn = (email: string): SignIn => ({ email, password: passwords.get(email)!.password });
  return deps.db.transaction(async (tx) => {
    // With two concurrent first starts, the second waits here and then finds accounts.
    await tx.raw("select pg_advisory_xact_lock(7205522)");
    if ((await listAccounts(tx)).length > 0) return false;
    const made: DemoPartner[] = [];
    for (const { portal, ...given } of partners) {
      const account = await createPartnerAccount(tx, given, now);
      const { account_id } = account;
      await saveShippingMethods(tx, account_id, shippingMethods, now);
      await saveBrands(tx, account_id, brands);
      await saveProducts(tx, account_id, products, now);
      await enterStock(tx, account_id, firstDelivery, now);
      const { client_id, client_secret } = await createCredential(
        deps,
        tx,
        { account_id, name: "demo", scopes: ["partners"] },
        now,
      );
      await createPerson(
        tx,
        {
          ...portal,
          role: "partner_admin",
          partner_id: account.partner_id,
          password_hash: passwords.get(portal.email)!.password_hash,
        },
        now,
      );
      const { name, workflow, environment, ncpdp_id } = given;
      made.push({
        name,
        workflow,
        environment,
        account_id,
        client_id,
        client_secret,
        ncpdp_id,
        portal: signIn(portal.email),
      });
    }
    for (const environment of environments) await saveLicences(tx, environment, licences(now));
    for (const person of [operator, ...staff]) {
      const { password_hash } = passwords.get(person.email)!;
      await createPerson(tx, { ...person, partner_id: null, password_hash }, now);
    }
    const account_id = await operatorAccount(tx, "sandbox", now);
    const intake = await createCredential(deps, tx, { account_id, name: "demo intake", scopes: ["intake"] }, now);
    writeDemo(deps.config.DATA_DIR, {
      base_url: "",
      auth_url: "",
      sandbox_auth_url: "",
      operator: signIn(operator.email),
      people: staff.map(({ email, name, role }) => ({ ...signIn(email), name, role })),
      partners: made,
      intake: { environment: "sandbox", client_id: intake.client_id, client_secret: intake.client_secret },
    });
    return true;
  });
}
