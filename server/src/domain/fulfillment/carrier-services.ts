/** A service by the names that EasyPost uses for the carrier and the service. */
export type CarrierService = { carrier: string; service: string };

/** Inches and ounces. */
export type ParcelSize = { length_in: number; width_in: number; height_in: number; weight_oz: number };

type Row = CarrierService & { carriers: readonly string[]; services: readonly string[] };

/**
 * The services that a shipping method of the catalogue means, by its carrier and service, compared without case, spaces and
 * punctuation. The dashboard's choice for a method has precedence. A method without a row and without a choice gets no label.
 */
const rows: readonly Row[] = [
  {
    carriers: ["usps"],
    services: ["groundadvantage", "ground", "firstclass", "firstclasspackage"],
    carrier: "USPS",
    service: "GroundAdvantage",
  },
  { carriers: ["usps"], services: ["prioritymail", "priority"], carrier: "USPS", service: "Priority" },
  {
    carriers: ["usps"],
    services: ["prioritymailexpress", "priorityexpress", "express", "expressmail"],
    carrier: "USPS",
    service: "Express",
  },
  { carriers: ["ups"], services: ["ground", "upsground"], carrier: "UPS", service: "Ground" },
  { carriers: ["ups"], services: ["3dayselect", "threedayselect"], carrier: "UPS", service: "3DaySelect" },
  {
    carriers: ["ups"],
    services: ["2ndday", "2nddayair", "secondday", "seconddayair"],
    carrier: "UPS",
    service: "2ndDayAir",
  },
  { carriers: ["ups"], services: ["nextday", "nextdayair", "overnight"], carrier: "UPS", service: "NextDayAir" },
  { carriers: ["ups"], services: ["nextdayairsaver", "nextdaysaver"], carrier: "UPS", service: "NextDayAirSaver" },
  { carriers: ["fedex"], services: ["ground", "fedexground"], carrier: "FedEx", service: "FEDEX_GROUND" },
  {
    carriers: ["fedex"],
    services: ["homedelivery", "groundhomedelivery"],
    carrier: "FedEx",
    service: "GROUND_HOME_DELIVERY",
  },
  { carriers: ["fedex"], services: ["2day", "twoday", "fedex2day"], carrier: "FedEx", service: "FEDEX_2_DAY" },
  {
    carriers: ["fedex"],
    services: ["standardovernight", "overnight"],
    carrier: "FedEx",
    service: "STANDARD_OVERNIGHT",
  },
  { carriers: ["fedex"], services: ["priorityovernight"], carrier: "FedEx", service: "PRIORITY_OVERNIGHT" },
];

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Null if the table knows no such service. */
export function serviceOf({ carrier, service }: CarrierService): CarrierService | null {
  const row = rows.find((one) => one.carriers.includes(plain(carrier)) && one.services.includes(plain(service)));
  return row === undefined ? null : { carrier: row.carrier, service: row.service };
}

/** The services of the table, for a person to choose from. */
export const knownServices: readonly CarrierService[] = rows.map(({ carrier, service }) => ({ carrier, service }));

export type OfferedRate = CarrierService & { id: string; cents: number };

/** The rate to buy: the chosen service's, the cheapest if several carrier accounts offer it. Never another service. */
export function chooseRate(offered: readonly OfferedRate[], chosen: CarrierService): OfferedRate | null {
  const same = offered.filter(
    ({ carrier, service }) => plain(carrier) === plain(chosen.carrier) && plain(service) === plain(chosen.service),
  );
  return same.reduce<OfferedRate | null>((best, one) => (best === null || one.cents < best.cents ? one : best), null);
}
