import { createAuditLog } from "./audit-log.ts";
import type { Deps } from "./deps.ts";
import { createTryLimiter } from "./limits/try-limiter.ts";
import { createPasswords } from "./passwords.ts";
import { createRequestLog } from "./request-log.ts";
import { watchHome } from "./usecases/operations/watch-home.ts";

/** Stand-ins for the dependencies that a process with listeners shares between its requests. */
export const notServing = (
  deps: Pick<Deps, "config" | "db" | "now" | "log">,
): Pick<Deps, "addresses" | "home_watch" | "second_factor" | "request_log" | "audit_log" | "tries" | "passwords"> => ({
  addresses: { base_url: "", auth_url: "", sandbox_auth_url: "" },
  home_watch: watchHome(deps),
  second_factor: "required",
  request_log: createRequestLog(),
  audit_log: createAuditLog(),
  tries: createTryLimiter(),
  passwords: createPasswords(),
});
