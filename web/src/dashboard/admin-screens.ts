import type { Screen } from "../app/shell/screen.ts";
import { say } from "../ui/words/say.tsx";
import { admins, leads, pharmacists, reviewers } from "./roles.ts";

/** Screens other than the work queues: exceptions, reviews, stock and administration. */
export const adminScreens: readonly Screen[] = [
  {
    path: "/exceptions",
    title: say("Exceptions"),
    load: async () => (await import("./exceptions/exceptions-screen.tsx")).ExceptionsScreen,
    nav: { group: say("Decide"), icon: "alert", keys: "g e" },
  },
  {
    path: "/reviews",
    title: say("Reviews"),
    load: async () => (await import("./reviews/reviews-screen.tsx")).ReviewsScreen,
    nav: { group: say("Decide"), icon: "inbox", keys: "g v" },
  },
  {
    path: "/reviews/$account_id/$review_id",
    title: say("Review"),
    load: async () => (await import("./reviews/review-screen.tsx")).ReviewScreen,
  },
  {
    path: "/counseling",
    title: say("Counseling"),
    load: async () => (await import("./counseling/counseling-screen.tsx")).CounselingScreen,
    roles: pharmacists,
    nav: { group: say("Decide"), icon: "person", keys: "g w" },
  },
  {
    path: "/recall",
    title: say("Recall"),
    load: async () => (await import("./recall/recall-screen.tsx")).RecallScreen,
    nav: { group: say("Decide"), icon: "recall", keys: "g l" },
  },
  {
    path: "/stock",
    title: say("Stock"),
    load: async () => (await import("./stock/stock-screen.tsx")).StockScreen,
    nav: { group: say("Pharmacy"), icon: "layers", keys: "g k" },
  },
  {
    path: "/catalogue",
    title: say("Catalogue"),
    load: async () => (await import("./catalogue/catalogue-screen.tsx")).CatalogueScreen,
    nav: { group: say("Pharmacy"), icon: "book", keys: "g b" },
  },
  {
    path: "/catalogue/import",
    title: say("Import"),
    load: async () => (await import("./catalogue/import-screen.tsx")).ImportScreen,
    roles: leads,
  },
  {
    path: "/targets",
    title: say("Targets"),
    load: async () => (await import("./targets/targets-screen.tsx")).TargetsScreen,
    nav: { group: say("Pharmacy"), icon: "target", keys: "g t" },
  },
  {
    path: "/statements",
    title: say("Statements"),
    load: async () => (await import("./statements/statements-screen.tsx")).StatementsScreen,
    nav: { group: say("Administration"), icon: "money", keys: "g i" },
  },
  {
    path: "/statements/$account_id/$month",
    title: say("Statement"),
    load: async () => (await import("./statements/statement-screen.tsx")).StatementScreen,
  },
  {
    path: "/partners",
    title: say("Partners"),
    load: async () => (await import("./partners/partners-screen.tsx")).PartnersScreen,
    nav: { group: say("Administration"), icon: "building", keys: "g n" },
  },
  {
    path: "/partners/$account_id",
    title: say("Partner"),
    load: async () => (await import("./partners/partner-screen.tsx")).PartnerScreen,
  },
  {
    path: "/people",
    title: say("People"),
    load: async () => (await import("./people/people-screen.tsx")).PeopleScreen,
    roles: admins,
    nav: { group: say("Administration"), icon: "people", keys: "g u" },
  },
  {
    path: "/reports",
    title: say("Reports"),
    load: async () => (await import("./reports/reports-screen.tsx")).ReportsScreen,
    roles: reviewers,
    nav: { group: say("Administration"), icon: "licence", keys: "g j" },
  },
  {
    path: "/audit",
    title: say("Audit log"),
    load: async () => (await import("./audit/audit-screen.tsx")).AuditScreen,
    roles: leads,
    nav: { group: say("Administration"), icon: "eye", keys: "g d" },
  },
  {
    path: "/providers",
    title: say("Providers"),
    load: async () => (await import("./providers/providers-screen.tsx")).ProvidersScreen,
    roles: leads,
    nav: { group: say("Administration"), icon: "external", keys: "g q" },
  },
  {
    path: "/health",
    title: say("System health"),
    load: async () => (await import("./health/health-screen.tsx")).HealthScreen,
    nav: { group: say("Administration"), icon: "pulse", keys: "g y" },
  },
];
