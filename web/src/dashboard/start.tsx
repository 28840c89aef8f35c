import { staffRoles } from "@pestle/contract";
import { startApp } from "../app/start-app.tsx";
import { EnvironmentSwitch } from "./environment-switch.tsx";
import { Help, HelpButton } from "./help/help.tsx";
import { LiveHome, NavCount } from "./live-home.tsx";
import { Bell, Notifications } from "./notifications/bell.tsx";
import { screens } from "./screens.ts";
import { searchOrders } from "./search-orders.tsx";

startApp({
  base: "/dashboard",
  name: "Pestle",
  roles: Object.keys(staffRoles),
  screens,
  search: searchOrders,
  Top: EnvironmentSwitch,
  Tools: () => (
    <>
      <Bell />
      <HelpButton />
    </>
  ),
  Layers: () => (
    <>
      <Notifications />
      <Help />
    </>
  ),
  Band: LiveHome,
  Count: NavCount,
});
