import { type PersonRoleName, pharmacistRoles } from "@pestle/contract";
import { say } from "../../ui/words/say.tsx";

/** Display name of each role and what it can do. */
export const roleNames: Record<PersonRoleName, { name: string; may: string }> = {
  technician: { name: say("Technician"), may: say("Fills, packs and ships orders, and receives stock.") },
  pharmacist: {
    name: say("Pharmacist"),
    may: say(
      "With a current license: also reviews orders, checks products, accepts prescriptions, and overrides exceptions.",
    ),
  },
  lead: {
    name: say("Lead"),
    may: say(
      "With a current license: as a pharmacist. Also takes over claimed orders, imports catalogues, sets targets, and reads the audit log.",
    ),
  },
  admin: {
    name: say("Admin"),
    may: say("Manages partners, credentials, people and catalogues. Works as a technician, not as a pharmacist."),
  },
  partner_admin: {
    name: say("Partner: admin"),
    may: say("Full access to the partner portal, including credentials and team."),
  },
  partner_developer: { name: say("Partner: developer"), may: say("Partner portal with credentials and webhooks.") },
  partner_viewer: { name: say("Partner: viewer"), may: say("Read-only access to the partner portal.") },
};

/** Roles that act as a pharmacist, if their license is current. */
export const needsLicense = (role: string): boolean => (pharmacistRoles as readonly string[]).includes(role);

export const isPartnerRole = (role: string): boolean => role.startsWith("partner_");
