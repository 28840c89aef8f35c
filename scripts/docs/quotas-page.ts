import {
  portalDraws,
  QUOTA_MESSAGE,
  type QuotaDraw,
  type QuotaName,
  quotaDraws,
  quotaNames,
  quotas,
  simulationDraws,
} from "@pestle/contract";
import { code, fence, generated, page, table } from "./markdown.ts";

const GIB = 1024 ** 3;
const number = (name: QuotaName, value: number) =>
  name === "stored_bytes" ? `${(value / GIB).toLocaleString("en-US")} GiB` : value.toLocaleString("en-US");
const added = ({ of, only_in, gives_back }: QuotaDraw) => {
  const names = of.map(code).join(", ") || "nothing";
  return `${names}${gives_back ? " (gives back)" : ""}${only_in === undefined ? "" : " (only in the sandbox)"}`;
};

export function quotasPage() {
  const draws = [
    ...Object.entries<QuotaDraw>(quotaDraws),
    ...Object.entries<QuotaDraw>(simulationDraws).map(([type, draw]) => [`simulate, ${type}`, draw] as const),
  ];
  return page(
    generated("`contract/src/accounts/quotas.ts` and `contract/src/accounts/quota-draws.ts`"),
    "# Quotas\n",
    "You will know how much an account can store. An account stores a limited number of records and bytes, so that one partner cannot fill the pharmacy's disks. Production has room for years of work. The sandbox has room for large tests.\n",
    table(
      ["quota", "counts", "sandbox", "production", "at the limit, Pestle refuses"],
      quotaNames.map((name) => {
        const { counts, sandbox, production, refuses } = quotas[name];
        return [code(name), counts, number(name, sandbox), number(name, production), refuses];
      }),
    ),
    "## At a limit\n",
    "A request that would exceed a quota gets 429 and stores nothing. `Retry-After` is an hour, because Pestle counts each account again about every hour.\n",
    fence("json", JSON.stringify({ error: { error_code: 429, message: QUOTA_MESSAGE, quota: "orders" } }, null, 2)),
    "- You can read everything that the account has.",
    "- A request that succeeded before and comes again with the same `Idempotency-Key` gets its stored answer.",
    "- Prescriptions from e-prescription networks count, and Pestle never refuses one for a quota.",
    "- A production account can always act on its orders, correct addresses and change patients.\n",
    "## Headers\n",
    "The answer to a request that adds to a quota shows the limits and the rest of each, before the request:\n",
    fence(
      "text",
      'Quota-Policy: "orders";q=500000, "stored_bytes";q=5368709120\nQuota: "orders";r=499812, "stored_bytes";r=5216340112',
    ),
    "The numbers are approximate. Each process adds what it writes and shares it with the others every two seconds.\n",
    "## Which request adds to which quota\n",
    table(
      ["operation", "adds to"],
      draws.map(([operation, draw]) => [code(operation), added(draw)]),
    ),
    `The portal's requests count like these operations: ${[...new Set(Object.values(portalDraws))].map(code).join(", ")}.\n`,
    "## For operators\n",
    "The Usage page of the portal shows the partner what it stores. To see or change the quotas of an account:\n",
    fence(
      "text",
      "pestle partner quota ACCOUNT_ID\npestle partner quota ACCOUNT_ID --set orders=1000000\npestle partner quota ACCOUNT_ID --set orders=default",
    ),
    "A change takes effect within a few seconds.\n",
  );
}
