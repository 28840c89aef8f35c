import { useSignedIn } from "./sign-in/session.ts";

/** Today's date where the pharmacy is. The browser may be in another time zone. */
export const usePharmacyDay = (): string => dayIn(useSignedIn().time_zone, new Date());

/** As `YYYY-MM-DD`. */
export const dayIn = (timeZone: string, at: Date): string =>
  // This locale writes dates in that form.
  new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(at);
