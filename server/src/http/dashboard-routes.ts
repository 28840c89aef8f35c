import { partnerRoutes } from "./accounts/partners.ts";
import { peopleRoutes } from "./accounts/people.ts";
import { catalogueRoutes } from "./catalogue/dashboard-catalogue.ts";
import { orderRoutes } from "./fulfillment/order-page.ts";
import { ordersRoutes } from "./fulfillment/queue.ts";
import { searchRoutes } from "./fulfillment/search.ts";
import { reviewRoutes } from "./intake/reviews.ts";
import { homeRoutes } from "./operations/home.ts";
import { oversightRoutes } from "./operations/oversight.ts";
import type { WebRoute } from "./web-api.ts";

/** All routes of the pharmacy dashboard. */
export const dashboardRoutes: readonly WebRoute[] = [
  ...homeRoutes,
  ...ordersRoutes,
  ...orderRoutes,
  ...searchRoutes,
  ...reviewRoutes,
  ...partnerRoutes,
  ...peopleRoutes,
  ...catalogueRoutes,
  ...oversightRoutes,
];
