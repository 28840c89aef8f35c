import type { ComponentType } from "react";
import type { Screen } from "../app/shell/screen.ts";
import { say } from "../ui/words/say.tsx";
import { inAccount } from "./account.tsx";
import { SANDBOX_PATH } from "./environment.ts";

const of = (load: () => Promise<ComponentType>) => async () => inAccount(await load());

/** All portal screens. */
export const screens: readonly Screen[] = [
  {
    path: "/account",
    title: say("Your sign-in"),
    load: async () => (await import("../app/account/account-screen.tsx")).AccountScreen,
  },
  {
    path: "/",
    title: say("Start"),
    load: async () => (await import("./start-screen.tsx")).StartScreen,
  },
  {
    path: "/$environment",
    title: say("Home"),
    load: of(async () => (await import("./home/home-screen.tsx")).HomeScreen),
  },
  {
    path: "/$environment/home",
    title: say("Home"),
    load: of(async () => (await import("./home/home-screen.tsx")).HomeScreen),
    nav: { group: say("Start"), icon: "home", keys: "g h" },
  },
  {
    path: "/$environment/credentials",
    title: say("Credentials"),
    load: of(async () => (await import("./credentials/credentials-screen.tsx")).CredentialsScreen),
    nav: { group: say("Start"), icon: "key", keys: "g c" },
  },
  {
    path: SANDBOX_PATH,
    title: say("Sandbox tools"),
    load: of(async () => (await import("./sandbox/sandbox-screen.tsx")).SandboxScreen),
    nav: { group: say("Start"), icon: "flask", keys: "g s" },
  },
  {
    path: "/$environment/orders",
    title: say("Orders"),
    load: of(async () => (await import("./orders/orders-screen.tsx")).OrdersScreen),
    nav: { group: say("Orders"), icon: "pack", keys: "g o" },
  },
  {
    path: "/$environment/orders/$order_number",
    title: say("Order"),
    load: of(async () => (await import("./orders/order-screen.tsx")).OrderScreen),
  },
  {
    path: "/$environment/exceptions",
    title: say("Exceptions"),
    load: of(async () => (await import("./orders/exceptions-screen.tsx")).ExceptionsScreen),
    nav: { group: say("Orders"), icon: "alert", keys: "g x" },
  },
  {
    path: "/$environment/continuity",
    title: say("Supply"),
    load: of(async () => (await import("./continuity/continuity-screen.tsx")).ContinuityScreen),
    nav: { group: say("Orders"), icon: "clock", keys: "g l" },
  },
  {
    path: "/$environment/refills",
    title: say("Refills"),
    load: of(async () => (await import("./refills/schedules-screen.tsx")).SchedulesScreen),
    nav: { group: say("Orders"), icon: "recall", keys: "g i" },
  },
  {
    path: "/$environment/refills/$schedule_id",
    title: say("Refill schedule"),
    load: of(async () => (await import("./refills/schedule-screen.tsx")).ScheduleScreen),
  },
  {
    path: "/$environment/catalogue",
    title: say("Catalogue"),
    load: of(async () => (await import("./catalogue/catalogue-screen.tsx")).CatalogueScreen),
    nav: { group: say("Orders"), icon: "book", keys: "g p" },
  },
  {
    path: "/$environment/statements",
    title: say("Statements"),
    load: of(async () => (await import("./statements/statements-screen.tsx")).StatementsScreen),
    nav: { group: say("Orders"), icon: "money", keys: "g m" },
  },
  {
    path: "/$environment/statements/$month",
    title: say("Statement"),
    load: of(async () => (await import("./statements/statement-screen.tsx")).StatementScreen),
  },
  {
    path: "/$environment/webhooks",
    title: say("Endpoints"),
    load: of(async () => (await import("./webhooks/endpoints-screen.tsx")).EndpointsScreen),
    nav: { group: say("Webhooks"), icon: "webhook", keys: "g w" },
  },
  {
    path: "/$environment/webhooks/$endpoint_id",
    title: say("Endpoint"),
    load: of(async () => (await import("./webhooks/endpoint-screen.tsx")).EndpointScreen),
  },
  {
    path: "/$environment/events",
    title: say("Events"),
    load: of(async () => (await import("./events/events-screen.tsx")).EventsScreen),
    nav: { group: say("Webhooks"), icon: "inbox", keys: "g e" },
  },
  {
    path: "/$environment/events/$event_id",
    title: say("Event"),
    load: of(async () => (await import("./events/event-screen.tsx")).EventScreen),
  },
  {
    path: "/$environment/requests",
    title: say("Requests"),
    load: of(async () => (await import("./requests/requests-screen.tsx")).RequestsScreen),
    nav: { group: "API", icon: "list", keys: "g r" },
  },
  {
    path: "/$environment/requests/$request_id",
    title: say("Request"),
    load: of(async () => (await import("./requests/request-screen.tsx")).RequestScreen),
  },
  {
    path: "/$environment/errors",
    title: say("Errors"),
    load: of(async () => (await import("./requests/errors-screen.tsx")).ErrorsScreen),
    nav: { group: "API", icon: "pulse", keys: "g f" },
  },
  {
    path: "/$environment/usage",
    title: say("Usage"),
    load: of(async () => (await import("./usage/usage-screen.tsx")).UsageScreen),
    nav: { group: "API", icon: "chart", keys: "g u" },
  },
  {
    path: "/$environment/team",
    title: say("Team"),
    load: of(async () => (await import("./team/team-screen.tsx")).TeamScreen),
    nav: { group: say("Partner"), icon: "people", keys: "g t" },
  },
];
