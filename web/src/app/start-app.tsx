import { QueryClientProvider } from "@tanstack/react-query";
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  RouterProvider,
} from "@tanstack/react-router";
import { type ComponentType, type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../ui/theme.css";
import "../ui/app.css";
import { Fault } from "./fault.tsx";
import { queryClient } from "./query-client.ts";
import { Elsewhere } from "./shell/elsewhere.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { Page } from "./shell/page.tsx";
import type { Screen } from "./shell/screen.ts";
import { Shell, type ShellParts } from "./shell/shell.tsx";
import { listenToKeys } from "./shell/shortcuts.ts";
import { applyTheme } from "./shell/theme.ts";
import { readSession, useSession, useSignedIn } from "./sign-in/session.ts";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { parseSearch, stringifySearch } from "./use-address.ts";

/** Starts the dashboard or the portal under its base path. Users without one of `roles` cannot open it. */
export function startApp({ base, roles, ...parts }: { base: string; roles: readonly string[] } & ShellParts): void {
  const root = createRootRoute({
    component: () => <Shell {...parts} />,
    notFoundComponent: Nothing,
    errorComponent: ({ error, reset }) => <Fault error={error} reset={reset} />,
  });
  const router = createRouter({
    routeTree: root.addChildren(parts.screens.map((screen) => routeOf(root, screen))),
    basepath: base,
    parseSearch,
    stringifySearch,
    // Inside the frame, so that the user can go to another screen.
    defaultErrorComponent: ({ error, reset }) => <Fault error={error} reset={reset} />,
    defaultPreload: "intent",
    scrollRestoration: true,
    scrollToTopSelectors: ["#content"],
  });
  applyTheme();
  listenToKeys();
  void readSession();
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Entrance name={parts.name} roles={roles}>
          <RouterProvider router={router as never} />
        </Entrance>
      </QueryClientProvider>
    </StrictMode>,
  );
}

function routeOf(root: AnyRoute, { path, load, roles }: Screen) {
  // The router's types expect a module; we only have the component.
  const Loaded = lazyRouteComponent(async () => ({ default: await load() }), "default") as ComponentType & {
    preload?: () => Promise<void>;
  };
  const component = Object.assign(
    () => {
      const { role } = useSignedIn();
      return roles === undefined || roles.includes(role) ? <Loaded /> : <Nothing />;
    },
    { preload: () => Loaded.preload?.() },
  );
  return createRoute({ getParentRoute: () => root, path, component });
}

function Entrance({ name, roles, children }: { name: string; roles: readonly string[]; children: ReactNode }) {
  const state = useSession();
  if (state.phase === "loading") return null;
  if (state.phase !== "in") return <SignInPage state={state} name={name} />;
  if (!roles.includes(state.session.role)) return <Elsewhere session={state.session} />;
  return children;
}

function Nothing() {
  return (
    <Page title="Not found">
      <NotFound />
    </Page>
  );
}
