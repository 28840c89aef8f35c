import { portalRoles } from "@pestle/contract";
import { startApp } from "../app/start-app.tsx";
import { say } from "../ui/words/say.tsx";
import { resolveScreen } from "./environment.ts";
import { EnvironmentSwitch } from "./environment-switch.tsx";
import { SandboxBand } from "./sandbox-band.tsx";
import { screens } from "./screens.ts";
import { search } from "./search.tsx";

startApp({
  base: "/portal",
  name: say("Partner portal"),
  roles: Object.keys(portalRoles),
  screens,
  search,
  resolve: resolveScreen,
  Top: EnvironmentSwitch,
  Band: SandboxBand,
});
