import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../ui/theme.css";
import "../ui/app.css";
import { Fault } from "./fault.tsx";
import { queryClient } from "./query-client.ts";
import { Boundary } from "./router/boundary.tsx";
import { createRouter, type Route } from "./router/create-router.ts";
import { RouterContext } from "./router/router.tsx";
import { Elsewhere } from "./shell/elsewhere.tsx";
import { NotFoundPage } from "./shell/not-found.tsx";
import { listenToScanners } from "./shell/scanner-keys.ts";
import type { Screen } from "./shell/screen.ts";
import { Shell, type ShellParts } from "./shell/shell.tsx";
import { listenToKeys } from "./shell/shortcuts.ts";
import { applyTheme } from "./shell/theme.ts";
import { readSession, useSession, useSignedIn } from "./sign-in/session.ts";
import { SignInPage } from "./sign-in/sign-in-page.tsx";

/** Starts the dashboard or the portal under its base path. Users without one of `roles` cannot open it. */
export function startApp({ base, roles, ...parts }: { base: string; roles: readonly string[] } & ShellParts): void {
  applyTheme();
  listenToKeys();
  listenToScanners();
  void readSession();
  const router = createRouter(base, parts.screens.map(routeOf), () => document.getElementById("content"));
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Boundary at="" fault={(error, reset) => <Fault error={error} reset={reset} />}>
          <RouterContext value={router}>
            <Entrance name={parts.name} roles={roles}>
              <Shell {...parts} />
            </Entrance>
          </RouterContext>
        </Boundary>
      </QueryClientProvider>
    </StrictMode>,
  );
}

/** A person without one of the screen's roles does not learn that it exists. */
function routeOf({ path, load, roles }: Screen): Route {
  return {
    path,
    async load() {
      const Loaded = await load();
      return function Guarded() {
        const { role } = useSignedIn();
        return roles === undefined || roles.includes(role) ? <Loaded /> : <NotFoundPage />;
      };
    },
  };
}

function Entrance({ name, roles, children }: { name: string; roles: readonly string[]; children: ReactNode }) {
  const state = useSession();
  if (state.phase === "loading") return null;
  if (state.phase !== "in") return <SignInPage state={state} name={name} />;
  if (!roles.includes(state.session.role)) return <Elsewhere session={state.session} />;
  return children;
}
