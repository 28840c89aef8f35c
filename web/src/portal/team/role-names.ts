import type { PortalRole } from "@pestle/contract";
import { say } from "../../ui/words/say.tsx";

export const roleNames: Record<PortalRole, string> = {
  partner_viewer: say("Viewer"),
  partner_developer: say("Developer"),
  partner_admin: say("Admin"),
};

/** The action that gives a person the role. */
export const giveRoleTexts: Record<PortalRole, string> = {
  partner_viewer: say("Make Viewer"),
  partner_developer: say("Make Developer"),
  partner_admin: say("Make Admin"),
};
