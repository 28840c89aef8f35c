import { pharmacistRoles, reviewerRoles } from "@pestle/contract";

/** Role groups. Screens hide actions the server would reject. */
export const pharmacists: readonly string[] = pharmacistRoles;
export const reviewers: readonly string[] = reviewerRoles;
export const leads: readonly string[] = ["lead", "admin"];
export const admins: readonly string[] = ["admin"];
