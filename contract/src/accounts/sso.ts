/** Why a sign-in with single sign-on failed. The sign-in page shows the sentence for the code in its address. */
export const ssoRefusals = {
  failed: "Single sign-on did not finish. Try again.",
  provider: "The sign-in service refused or could not be reached. Try again, or ask your administrator.",
  unverified: "The sign-in service has not verified your email address. Ask your administrator.",
  unknown: "No user has your email address here. Ask your administrator for access.",
  changed: "Your email address belongs to another sign-in here. Ask your administrator.",
} as const;
export type SsoRefusal = keyof typeof ssoRefusals;

/** What the sign-in page offers without knowing who is there. */
export type SsoOffer = {
  /** The name of the staff's provider; null if there is none. */
  staff: string | null;
  /** Whether any partner has one. Its people enter their email address first. */
  partners: boolean;
};
/** `POST /session/sso`: without `email` for the staff. `return_to` is the page to open afterwards. */
export type SsoStart = { email?: string; return_to: string };
/** Go there in the same window. */
export type SsoStarted = { redirect_to: string };

/** Roles that a rule can give to a new person. Others need an administrator. */
export const provisionedRoles = ["technician", "partner_developer", "partner_viewer"] as const;
