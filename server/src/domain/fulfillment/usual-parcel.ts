import type { ParcelSize } from "./carrier-services.ts";

/** The parcel of the settings, for methods without one of their own. */
export function usualParcel(config: { PARCEL_SIZE: string; PARCEL_WEIGHT_OZ: number }): ParcelSize {
  const [length_in, width_in, height_in] = config.PARCEL_SIZE.split("x").map(Number) as [number, number, number];
  return { length_in, width_in, height_in, weight_oz: config.PARCEL_WEIGHT_OZ };
}
