/** The figures behind the portal's charts. Times are ISO 8601, by the account's clock. */

/** From this share of failed requests on, the error rate needs attention. */
export const ERROR_RATE_ALERT = 0.05;
/** Below this share of delivered attempts, an endpoint needs attention. */
export const DELIVERY_RATE_ALERT = 0.9;
/** The order charts go back this far. */
export const FUNNEL_DAYS = 30;

/** `GET …/figures`. */
export type PortalFigures = {
  /** Orders created since this time: the last `FUNNEL_DAYS` days, or fewer in an account with very many orders. */
  since: string;
  funnel: OrderFunnel;
  /** Delivered parcels of these orders by carrier and by state, most parcels first. */
  carriers: DeliveryTime[];
  states: DeliveryTime[];
};
export type OrderFunnel = {
  received: number;
  shipped: number;
  delivered: number;
  /** Half of the orders took less. Null if there are none. */
  median_hours_to_ship: number | null;
  /** From the shipment on. */
  median_hours_to_deliver: number | null;
};
/** `name` is the carrier, or the state's two letters. */
export type DeliveryTime = { name: string; parcels: number; median_hours: number };

/** `GET …/endpoint_figures`: the attempts of the last 24 hours, by endpoint. */
export type PortalEndpointFigures = { endpoints: EndpointFigures[] };
export type EndpointFigures = {
  endpoint_id: string;
  attempts: number;
  /** From 0 to 1; null without attempts. */
  success_rate: number | null;
  average_duration_ms: number | null;
  /** One entry per hour, oldest first. */
  hours: EndpointHour[];
};
export type EndpointHour = {
  hour: string;
  attempts: number;
  success_rate: number | null;
  average_duration_ms: number | null;
};
