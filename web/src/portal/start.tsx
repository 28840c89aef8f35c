import { startApp } from "../app/start-app.tsx";
import { screens } from "./screens.ts";

startApp({
  base: "/portal",
  name: "Partner portal",
  roles: ["partner_admin", "partner_developer", "partner_viewer"],
  screens,
});
