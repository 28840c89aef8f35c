import type { WebRoute } from "../web-api.ts";
import { catalogueRoutes } from "./catalogue.ts";
import { homeRoutes } from "./home.ts";
import { orderRoutes } from "./order.ts";
import { ordersRoutes } from "./orders.ts";
import { oversightRoutes } from "./oversight.ts";
import { partnerRoutes } from "./partners.ts";
import { peopleRoutes } from "./people.ts";
import { reviewRoutes } from "./reviews.ts";
import { searchRoutes } from "./search.ts";

/** Everything that the pharmacy's own people can ask for. */
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
