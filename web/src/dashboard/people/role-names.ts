import type { PersonRoleName } from "@pestle/contract";

/** Display name of each role and what it can do. */
export const roleNames: Record<PersonRoleName, { name: string; may: string }> = {
  technician: { name: "Technician", may: "Fills, packs and ships orders, and receives stock." },
  pharmacist: {
    name: "Pharmacist",
    may: "Also reviews orders, checks products, accepts prescriptions, and overrides exceptions.",
  },
  lead: {
    name: "Lead",
    may: "Also takes over claimed orders, imports catalogues, sets targets, and reads the audit log.",
  },
  admin: { name: "Admin", may: "Everything, including partners, credentials and people." },
  partner_admin: { name: "Partner: admin", may: "Full access to the partner portal, including credentials and team." },
  partner_developer: { name: "Partner: developer", may: "Partner portal with credentials and webhooks." },
  partner_viewer: { name: "Partner: viewer", may: "Read-only access to the partner portal." },
};

export const isPartnerRole = (role: string): boolean => role.startsWith("partner_");
