import type { PortalRole } from "@pestle/contract";

export const roleNames: Record<PortalRole, string> = {
  partner_viewer: "Viewer",
  partner_developer: "Developer",
  partner_admin: "Admin",
};
