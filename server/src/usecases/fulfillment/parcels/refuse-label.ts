import { type LabelRefusal, LabelRefused } from "../../../domain/fulfillment/postage.ts";
import { WorkRefusal } from "../work-refusal.ts";

const sentences: Readonly<Record<LabelRefusal, (detail: string) => string>> = {
  no_service: (method) =>
    `No carrier service is chosen for the shipping method ${method}. Ask a lead to choose one in Catalogue, Shipping methods.`,
  no_rate: (service) =>
    `The carrier service offers no rate of ${service} for this parcel. Check the carrier account, or ask a lead to choose another service in Catalogue, Shipping methods.`,
  key: () => "The carrier service refused Pestle's API key. Ask the operator to check EASYPOST_API_KEY.",
  balance: () => "The balance at the carrier service does not cover the postage. Ask the operator to add funds.",
  address: () => "The carrier service refused the address. Check it with the partner.",
  other: (code) => `The carrier service refused the label (${code}).`,
};

/** The order stays at its stage, and the person reads what to do. */
export function refuseLabel(error: unknown): never {
  if (error instanceof LabelRefused) throw new WorkRefusal("label_refused", sentences[error.reason](error.detail));
  if ((error as Error).name === "ProviderUnavailable") throw new WorkRefusal("carrier_unavailable");
  throw error;
}
