import { backupCommands } from "./backup.ts";
import { catalogueCommands } from "./catalogue.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { credentialCommands } from "./credential.ts";
import { doctorCommand } from "./doctor.ts";
import { eventCommands } from "./events.ts";
import { keysCommands } from "./keys.ts";
import { listenCommand } from "./listen.ts";
import { loginCommands } from "./login.ts";
import { logCommands } from "./logs.ts";
import { migrateCommand } from "./migrate.ts";
import { orderCommands } from "./order.ts";
import { orderReadCommands } from "./orders.ts";
import { orderActCommands } from "./orders-act.ts";
import { orderCreateCommands } from "./orders-create.ts";
import { orderWatchCommand } from "./orders-watch.ts";
import { partnerCommands } from "./partner.ts";
import type { CommandRow } from "./program.ts";
import { recallCommand } from "./recall.ts";
import { reportCommands } from "./report.ts";
import { rxLintCommand } from "./rx-lint.ts";
import { rxReviewCommands } from "./rx-review.ts";
import { rxSendCommand } from "./rx-send.ts";
import { safetyCommands } from "./safety.ts";
import { simulateCommands } from "./simulate.ts";
import { startCommand } from "./start.ts";
import { stockCommands } from "./stock.ts";
import { tokenCommand } from "./token.ts";
import { triggerCommand } from "./trigger.ts";
import { userCommands } from "./user.ts";
import { webhookCommands } from "./webhooks.ts";

/** Every command, in the order of the help; each file holds its group's rows and what they do. */
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
