import { staffRoles } from "@pestle/contract";
import { startApp } from "../app/start-app.tsx";
import { LiveHome, NavCount } from "./live-home.tsx";
import { screens } from "./screens.ts";
import { searchOrders } from "./search-orders.tsx";

startApp({
  base: "/dashboard",
  name: "Pestle",
  roles: Object.keys(staffRoles),
  screens,
  search: searchOrders,
  Band: LiveHome,
  Count: NavCount,
});
