import type { PersonRoleName } from "@pestle/contract";

/** What a role is called, and what whoever has it may do. */
export const roleNames: Record<PersonRoleName, { name: string; may: string }> = {
  technician: { name: "Technician", may: "Fills, packs and ships orders, and takes in stock." },
  pharmacist: { name: "Pharmacist", may: "Also reviews, checks products, accepts prescriptions, and overrides." },
  lead: {
    name: "Lead",
    may: "Also takes over claimed orders, imports catalogues, sets targets, and reads the audit log.",
  },
  admin: { name: "Admin", may: "Everything, also partners, credentials and people." },
  partner_admin: { name: "Partner: admin", may: "The partner's portal, with its credentials and team." },
  partner_developer: { name: "Partner: developer", may: "The partner's portal, with credentials and webhooks." },
  partner_viewer: { name: "Partner: viewer", may: "The partner's portal, to look at." },
};

export const isPartnerRole = (role: string): boolean => role.startsWith("partner_");
