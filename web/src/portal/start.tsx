import { portalRoles } from "@pestle/contract";
import { startApp } from "../app/start-app.tsx";
import { resolveScreen } from "./environment.ts";
import { EnvironmentSwitch } from "./environment-switch.tsx";
import { SandboxBand } from "./sandbox-band.tsx";
import { screens } from "./screens.ts";
import { search } from "./search.tsx";

startApp({
  base: "/portal",
  name: "Partner portal",
  roles: Object.keys(portalRoles),
  screens,
  search,
  resolve: resolveScreen,
  Top: EnvironmentSwitch,
  Band: SandboxBand,
});
