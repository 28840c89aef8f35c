import type { Brand, Product, ShippingMethod } from "../catalogue.ts";
import type { Environment } from "../endpoints/oauth.ts";
import type { Workflow } from "../fields.ts";
import type { OrderStatus } from "../lifecycle.ts";
import type { PortalRole } from "./portal-team.ts";

/*
 * The partner portal's requests and responses, under `/web/portal`. Paths with `{environment}` use the partner's
 * account in that environment, and return 404 if the partner has none. Times are ISO 8601 in UTC. Lists with
 * `next_cursor` take `limit` (1 to 200, default 25) and `cursor`. Here and in `portal-*.ts`, `…` means
 * `/portal/{environment}`.
 */

/** `GET /portal`: the signed-in user's role and accounts, production first. */
export type PortalIndex = {
  partner_name: string;
  role: PortalRole;
  accounts: PortalAccount[];
};

export type PortalAccount = {
  account_id: string;
  environment: Environment;
  workflow: Workflow;
  ncpdp_id: string | null;
  custom_labels: boolean;
  /** The account's clock. Only a sandbox can be ahead of real time. */
  now: string;
  clock_offset_s: number;
  created_at: string;
};

/** Steps complete automatically, based on the account's activity. */
export const quickStartSteps = {
  credential: [
    "Create a credential",
    "The portal shows its secret only once. Store it where your program can read it.",
  ],
  token: ["Get an access token", "Exchange the credential for a token at the token server."],
  request: ["Call the API", "Send any request that succeeds, such as the list of shipping methods."],
  endpoint: ["Register a webhook endpoint", "Pestle sends prescriptions and order changes to this URL."],
  delivery: ["Receive a webhook", "Your endpoint answers 2xx to an event or a test."],
  prescription: ["Receive a prescription", "In the sandbox, send one to yourself."],
  order: ["Place an order", "For a prescription, or for products that need none."],
  shipped: ["See an order shipped", "In the sandbox, move it there yourself."],
} as const;
export type QuickStartStep = keyof typeof quickStartSteps;

/** `GET …/home`. */
export type PortalHome = {
  account: PortalAccount;
  addresses: { base_url: string; token_url: string };
  /** In order. `done_at` is when the step first happened, if known. */
  checklist: { step: QuickStartStep; title: string; hint: string; done: boolean; done_at: string | null }[];
  orders: { order_status: OrderStatus; count: number }[];
  /** Held orders that need the partner's action. */
  waiting_for_you: number;
  /** The last 24 hours. */
  requests: { total: number; errors: number };
  webhooks: {
    /** Pending deliveries. */
    waiting: number;
    /** Failed deliveries in the last 24 hours. */
    failed: number;
    /** Endpoints that Pestle disabled. The portal shows a banner. */
    disabled_endpoints: { id: string; url: string; reason: string; disabled_at: string }[];
  };
};

/** `GET …/catalogue`. */
export type PortalCatalogue = { brands: Brand[]; shipping_methods: ShippingMethod[]; products: Product[] };
