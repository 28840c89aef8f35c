import { partnerGroups } from "@pestle/cli/commands";

/** The meaning of each group of commands, for the help. */
export const groups: Readonly<Record<string, string>> = {
  ...partnerGroups,
  partner: "partners and their accounts",
  credential: "client ids and secrets",
  user: "user accounts",
  sso: "single sign-on for staff and partners",
  providers: "the providers of production: list, test",
  rx: "prescriptions: send, explain, review",
  order: "pharmacy work on orders: review, fill, check, ship, hold, print",
  report: "regulatory reports",
  ledger: "fees and credits of partners, and a check of the books",
  catalogue: "products that accounts can order: import, export, versions",
  stock: "inventory on hand and its ledger",
  safety: "clinical safety tables: import, show, check",
  audit: "the audit log: verify, prove, sign, list disclosures",
  keys: "encryption keys",
  database: "your PostgreSQL: its roles, and what a failover lost",
};

/** Who uses a command, by its first word. The help has a heading for each. */
export const headings = {
  "For a partner's developer, anywhere": [
    ...["login", "logout", "whoami", "token", "orders", "prescriptions", "schedules", "continuity", "statements"],
    ...["simulate", "webhooks", "events", "trigger", "fixtures", "listen", "verify", "certify", "logs", "open"],
    ...["samples", "mcp"],
  ],
  "For the pharmacy, on the server, after `user login`": [
    ...["order", "rx", "recall", "report", "catalogue", "stock", "safety"],
  ],
  "For the operator, on the server": [
    ...["start", "providers", "doctor", "config", "migrate", "partner", "credential", "user", "sso", "ledger"],
    ...["backup", "restore", "database", "distribute", "audit", "keys", "completion"],
  ],
} as const;
