export * from "./actions.ts";
export { arazzo } from "./arazzo.ts";
export * from "./catalogue.ts";
export * from "./dashboard-admin.ts";
export * from "./dashboard-order.ts";
export * from "./dashboard-orders.ts";
export * from "./dashboard-queues.ts";
export * from "./dashboard-reviews.ts";
export * from "./dashboard-work.ts";
export { type Endpoint, type Tag, tags } from "./endpoint.ts";
export * from "./endpoints.ts";
export * from "./error-bodies.ts";
export * from "./errors.ts";
export * from "./exceptions.ts";
export {
  type DrugSchedule,
  documentTypes,
  drugSchedules,
  genders,
  labelFormats,
  ORDER_NUMBER_PATTERN,
  payers,
  paymentStatuses,
  type ShipmentStatus,
  shipmentStatuses,
  type Workflow,
  workflows,
} from "./fields.ts";
export * from "./lifecycle.ts";
export * from "./oauth.ts";
export * from "./openapi.ts";
export * from "./order-actions.ts";
export * from "./portal.ts";
export * from "./portal-credentials.ts";
export * from "./portal-orders.ts";
export * from "./portal-requests.ts";
export * from "./portal-sandbox.ts";
export * from "./portal-team.ts";
export * from "./portal-webhooks.ts";
export * from "./requests.ts";
export * from "./resources.ts";
export type { JsonSchema, Schema, Static } from "./schema.ts";
export * from "./signature.ts";
export * from "./simulations.ts";
export * from "./webhook-bodies.ts";
export * from "./webhook-records.ts";
export * from "./webhook-requests.ts";
export * from "./webhooks.ts";
