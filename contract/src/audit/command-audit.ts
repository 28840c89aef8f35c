import { type AuditRule, NO_DATABASE, NO_PATIENT, notAudited, PARTNER_PROGRAM, writes } from "./audit-rules.ts";

/**
 * The audit entry of each command that opens the database: `command_run`, with the command's name, its argument if that
 * is an id, and the operating system's user. The service writes it before the command's work, so that no change exists
 * without its entry; a command that is refused leaves one too. Commands that write further entries list them here.
 */
export const commandAudit: Readonly<Record<string, AuditRule>> = {
  start: notAudited("It starts the service. The service's log records it."),
  doctor: notAudited("It checks the service and shows no data."),
  config: notAudited(NO_DATABASE),
  migrate: notAudited("It runs before the audit log has its present form. The table of migrations records it."),
  completion: notAudited(NO_DATABASE),
  login: notAudited(NO_DATABASE),
  logout: notAudited(NO_DATABASE),
  whoami: notAudited(NO_DATABASE),
  token: notAudited("It asks the token server, which writes the entry."),

  "database roles": notAudited(
    "It works as the owner, before the roles of the service exist. The log of PostgreSQL records it.",
  ),
  "partner create": writes("command_run", "partner"),
  "partner list": writes("command_run", "partner"),
  "partner route": writes("command_run", "partner"),
  "credential create": writes("command_run", "credential"),
  "credential list": writes("command_run", "credential"),
  "credential rotate": writes("command_run", "credential"),
  "credential revoke": writes("command_run", "credential"),
  "credential set": writes("command_run", "credential"),
  "credential add-key": writes("command_run", "credential"),
  "credential remove-key": writes("command_run", "credential"),
  "credential show": writes("command_run", "credential"),
  "user create": writes(["command_run", "person_created"], "person"),
  "user license": writes(["command_run", "license_changed"], "person"),
  "user list": writes("command_run", "person"),
  "user login": writes(["command_run", "sign_in", "sign_in_refused", "recovery_code_used"], "sign_in"),
  "user logout": writes(["command_run", "sign_out"], "sign_in"),
  "user password": writes(["command_run", "password_changed"], "person"),
  "user sessions": writes("command_run", "person"),
  "user end-sessions": writes(["command_run", "sessions_ended"], "person"),
  "user reset-second-factor": writes(["command_run", "second_factor_reset"], "person"),
  "sso set": writes("command_run", "person"),
  "sso list": writes("command_run", "person"),
  "sso remove": writes("command_run", "person"),
  "sso unlink": writes("command_run", "person"),
  "keys show": writes("command_run", "key"),
  "keys rotate": writes("command_run", "key"),
  backup: writes("command_run", "export"),
  restore: writes("command_run", "service"),

  "rx send": writes("command_run", "patient", "identity", "contact", "address", "treatment"),
  "rx lint": notAudited(NO_DATABASE),
  "rx review": writes("command_run", "patient", "treatment"),
  "rx resolve": writes("command_run", "patient", "treatment"),
  "rx route": writes("command_run", "patient", "treatment"),
  "rx accept": writes("command_run", "patient", "treatment"),
  "rx reject": writes("command_run", "patient", "treatment"),
  "rx partial": writes("command_run", "patient", "treatment"),
  recall: writes("command_run", "patient", "identity", "contact", "treatment"),
  "report controlled": writes("command_run", "export", "identity", "address", "treatment"),
  "report correct": writes("command_run", "export", "identity", "address", "treatment"),
  "report list": writes("command_run", "export"),
  "report mark": writes("command_run", "export"),

  "catalogue import": writes("command_run", "catalogue"),
  "catalogue export": writes("command_run", "catalogue"),
  "catalogue versions": writes("command_run", "catalogue"),
  "stock receive": writes("command_run", "catalogue"),
  "stock count": writes("command_run", "catalogue"),
  "stock show": writes("command_run", "catalogue"),
  "stock counts": writes("command_run", "catalogue"),
  "safety import": writes("command_run", "catalogue"),
  "safety show": writes("command_run", "catalogue"),
  "safety check": writes("command_run", "catalogue"),

  "logs tail": writes("command_run", "partner"),
  "logs show": writes("command_run", "partner"),

  "orders list": notAudited(PARTNER_PROGRAM),
  "orders get": notAudited(PARTNER_PROGRAM),
  "orders actions": notAudited(NO_PATIENT),
  "orders create": notAudited(PARTNER_PROGRAM),
  "orders reorder": notAudited(PARTNER_PROGRAM),
  "orders act": notAudited(PARTNER_PROGRAM),
  "orders cancel": notAudited(PARTNER_PROGRAM),
  "orders address": notAudited(PARTNER_PROGRAM),
  "orders watch": notAudited(PARTNER_PROGRAM),
  "simulate prescription": notAudited(PARTNER_PROGRAM),
  "simulate order": notAudited(PARTNER_PROGRAM),
  "simulate event": notAudited(PARTNER_PROGRAM),
  "simulate clock": notAudited(PARTNER_PROGRAM),
  "webhooks add": notAudited(PARTNER_PROGRAM),
  "webhooks list": notAudited(PARTNER_PROGRAM),
  "webhooks enable": notAudited(PARTNER_PROGRAM),
  "webhooks remove": notAudited(PARTNER_PROGRAM),
  "webhooks test": notAudited(PARTNER_PROGRAM),
  "webhooks stats": notAudited(PARTNER_PROGRAM),
  "events list": notAudited(PARTNER_PROGRAM),
  "events show": notAudited(PARTNER_PROGRAM),
  "events resend": notAudited(PARTNER_PROGRAM),
  trigger: notAudited(PARTNER_PROGRAM),
  listen: notAudited(PARTNER_PROGRAM),
};

/** Groups whose every verb is pharmacy work on one order: `order show`, `order ship`, … */
const ORDER_WORK = writes("command_run", "patient", "order", "identity", "address", "treatment");

export const commandAuditOf = (name: string): AuditRule | undefined =>
  commandAudit[name] ?? (name.startsWith("order ") ? ORDER_WORK : undefined);
