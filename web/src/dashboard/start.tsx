import { staffRoles } from "@pestle/contract";
import { startApp } from "../app/start-app.tsx";
import { screens } from "./screens.ts";

startApp({ base: "/dashboard", name: "Pestle", roles: Object.keys(staffRoles), screens });
