export {
  createFakePharmacy,
  type DeliveredWebhook,
  type FakePharmacy,
  type FakePharmacyOptions,
  type FakeRequest,
} from "./fake/fake-pharmacy.ts";
export { type Exchange, recordTransport, replayTransport } from "./fake/transports.ts";
export { type SignedDelivery, signForTest, signForTestAsync, type ToSign } from "./sign-for-test.ts";
