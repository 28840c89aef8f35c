import { credentialCommands } from "./accounts/credential.ts";
import { loginCommands } from "./accounts/login.ts";
import { partnerCommands } from "./accounts/partner.ts";
import { tokenCommand } from "./accounts/token.ts";
import { userCommands } from "./accounts/user.ts";
import { catalogueCommands } from "./catalogue/catalogue.ts";
import { stockCommands } from "./catalogue/stock.ts";
import { completionCommand } from "./completion.ts";
import { orderCommands } from "./fulfillment/order.ts";
import { recallCommand } from "./fulfillment/recall.ts";
import { reportCommands } from "./fulfillment/report.ts";
import { rxLintCommand } from "./intake/rx-lint.ts";
import { rxReviewCommands } from "./intake/rx-review.ts";
import { rxSendCommand } from "./intake/rx-send.ts";
import { backupCommands } from "./operations/backup.ts";
import { configCommand } from "./operations/config.ts";
import { doctorCommand } from "./operations/doctor.ts";
import { keysCommands } from "./operations/keys.ts";
import { logCommands } from "./operations/logs.ts";
import { migrateCommand } from "./operations/migrate.ts";
import { startCommand } from "./operations/start.ts";
import { orderReadCommands } from "./orders/orders.ts";
import { orderActCommands } from "./orders/orders-act.ts";
import { orderCreateCommands } from "./orders/orders-create.ts";
import { orderWatchCommand } from "./orders/orders-watch.ts";
import type { CommandRow } from "./program.ts";
import { safetyCommands } from "./safety/safety.ts";
import { simulateCommands } from "./sandbox/simulate.ts";
import { eventCommands } from "./webhooks/events.ts";
import { listenCommand } from "./webhooks/listen.ts";
import { triggerCommand } from "./webhooks/trigger.ts";
import { webhookCommands } from "./webhooks/webhooks.ts";

/** Every command, in help order. Each file defines the commands of one group. */
export const commands: readonly CommandRow[] = [
  startCommand,
  doctorCommand,
  configCommand,
  migrateCommand,
  ...partnerCommands,
  ...credentialCommands,
  ...userCommands,
  ...loginCommands,
  tokenCommand,
  rxSendCommand,
  rxLintCommand,
  ...rxReviewCommands,
  ...orderReadCommands,
  ...orderCreateCommands,
  ...orderActCommands,
  orderWatchCommand,
  ...orderCommands,
  recallCommand,
  ...reportCommands,
  ...simulateCommands,
  ...webhookCommands,
  ...eventCommands,
  triggerCommand,
  listenCommand,
  ...logCommands,
  ...catalogueCommands,
  ...stockCommands,
  ...safetyCommands,
  ...backupCommands,
  ...keysCommands,
  completionCommand(() => commands),
];
