import type { Carriers } from "../carriers.ts";
import { carrierNamed, isTrackingNumber, plainNumber } from "../tracking-numbers.ts";

/**
 * The pharmacy makes its labels with other software, and staff enter the tracking numbers. Pestle invents no scan: people
 * record what the carrier says.
 */
export const manualCarrier: Carriers = {
  async createLabel() {
    throw new Error("the staff make the labels");
  },
  readNumber(carrier, typed) {
    const tracking_no = plainNumber(typed);
    if (!isTrackingNumber(carrier, tracking_no)) return null;
    return { tracking_no, tracking_url: carrierNamed(carrier)?.url(tracking_no) ?? null };
  },
  async voidLabel() {
    return "done";
  },
  async track() {
    return [];
  },
  nextLookAt: () => null,
};
