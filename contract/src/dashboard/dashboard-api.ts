import type {
  CredentialKeyInput,
  CredentialKeyRemoval,
  CredentialLimitsUpdate,
} from "../accounts/credential-limits.ts";
import type { ShownQuota } from "../accounts/quotas.ts";
import type { Message } from "../messages.ts";
import type {
  CounselingFill,
  CounselingRequest,
  DashboardCounseling,
  RevealedCounseling,
} from "../practice/counseling.ts";
import type { ProductMissRequest } from "../practice/product-misses.ts";
import type { DashboardReport, ReportQuery } from "../practice/reports.ts";
import type { RenewalRequestInput } from "../renewals.ts";
import type { StatementPage } from "../statements/statements.ts";
import type {
  CatalogueImportAnswer,
  CatalogueImportRequest,
  CredentialChanged,
  DashboardAudit,
  DashboardCatalogue,
  DashboardCredentials,
  DashboardHealth,
  DashboardLicences,
  DashboardLots,
  DashboardPartner,
  DashboardPartners,
  DashboardPeople,
  DashboardStock,
  DashboardTargets,
  DestructionRequest,
  LicenseRequest,
  MovedShelf,
  NewCredentialRequest,
  NewPartnerRequest,
  NewPersonRequest,
  OpenSessions,
  PasswordResetRequest,
  PersonChanged,
  PersonRoleRequest,
  ReturnedParcel,
  ReturnRequest,
  RevokeCredentialRequest,
  RoutingRuleRequest,
  ShownCredential,
  ShownPassword,
  StockRequest,
} from "./dashboard-admin.ts";
import type { ClinicalReview } from "./dashboard-clinical.ts";
import type { DashboardFigures } from "./dashboard-figures.ts";
import type { DashboardMessages, StaffMessageRequest } from "./dashboard-messages.ts";
import type {
  DashboardColleagues,
  DashboardNotifications,
  DigestSetting,
  ReadNotificationsRequest,
} from "./dashboard-notifications.ts";
import type {
  DashboardOrder,
  OrderRevision,
  RevealedOrder,
  SafetyEntryRemovalRequest,
  SafetyEntryRequest,
} from "./dashboard-order.ts";
import type {
  DashboardExceptions,
  DashboardHeld,
  DashboardOrderFilter,
  DashboardOrders,
  DashboardRecall,
  DashboardSearch,
  RecallNoticeRequest,
  RecallRequest,
} from "./dashboard-orders.ts";
import type { DashboardPatient, RevealedPatient } from "./dashboard-patient.ts";
import type { ChangeRequestInput, DashboardPrescriptions } from "./dashboard-prescriptions.ts";
import type {
  DashboardProviders,
  DashboardShippingServices,
  ProviderTest,
  ShippingServiceRequest,
} from "./dashboard-providers.ts";
import type { DashboardAccounts, DashboardHome } from "./dashboard-queues.ts";
import type {
  DashboardReviewPage,
  DashboardReviews,
  RawMessage,
  ResolveReviewRequest,
  RevealedReview,
  ReviewClosed,
  RouteReviewRequest,
  VerdictRequest,
} from "./dashboard-reviews.ts";
import type { AdjustmentRequest, BookedAdjustment, StatementMonths } from "./dashboard-statements.ts";
import type { BulkAnswer, BulkRequest, WorkRequest } from "./dashboard-work.ts";

/** A response that is a file to save or print, not JSON. */
export type WebFile = { readonly "~file": true };
/** Server-sent events: the data of each event by the event's name. */
export type WebStream<Events> = { readonly "~events": Events };

/**
 * Every dashboard route below `/web`, with its query parameters, request body and response body. This table types the
 * server's routes and the dashboard's calls.
 */
export type DashboardApi = {
  "GET /dashboard/home": { query: "environment"; answer: DashboardHome };
  "GET /dashboard/stream": {
    query: "environment";
    answer: WebStream<{ home: DashboardHome; signed_out: Record<string, never> }>;
  };
  "GET /dashboard/figures": { query: "environment"; answer: DashboardFigures };
  "GET /dashboard/colleagues": { answer: DashboardColleagues };
  "GET /dashboard/notifications": { answer: DashboardNotifications };
  "POST /dashboard/notifications/read": { body: ReadNotificationsRequest; answer: DashboardNotifications };
  "GET /dashboard/digest": { answer: DigestSetting };
  "PUT /dashboard/digest": { body: Pick<DigestSetting, "daily_digest">; answer: DigestSetting };
  "GET /dashboard/accounts": { answer: DashboardAccounts };
  "GET /dashboard/targets": { answer: DashboardTargets };
  /** A queue that the body omits keeps its target. */
  "PUT /dashboard/targets": { body: { targets: Partial<DashboardTargets["targets"]> }; answer: DashboardTargets };

  "GET /dashboard/orders": { query: DashboardOrderFilter | "cursor" | "limit"; answer: DashboardOrders };
  "GET /dashboard/orders.csv": { query: DashboardOrderFilter; answer: WebFile };
  "GET /dashboard/held": { query: "environment"; answer: DashboardHeld };
  "GET /dashboard/exceptions": { query: "environment" | "account_id"; answer: DashboardExceptions };
  "POST /dashboard/bulk": { body: BulkRequest; answer: BulkAnswer };
  "GET /dashboard/print": { query: "orders" | "documents" | "label_paper" | "slip_paper"; answer: WebFile };
  "POST /dashboard/search": { body: { q: string }; answer: DashboardSearch };
  "GET /dashboard/recall": { query: keyof RecallRequest; answer: DashboardRecall };
  "POST /dashboard/recall/quarantine": { body: RecallRequest & { on: boolean }; answer: { quarantined: boolean } };
  "POST /dashboard/recall/notices": { body: RecallNoticeRequest; answer: BulkAnswer };
  "POST /dashboard/recall/reveal": { body: RecallRequest; answer: DashboardRecall };

  "GET /dashboard/orders/{account_id}/{order_number}": { answer: DashboardOrder };
  "GET /dashboard/orders/{account_id}/{order_number}/revision": { answer: OrderRevision };
  "GET /dashboard/orders/{account_id}/{order_number}/clinical": { answer: ClinicalReview };
  "POST /dashboard/orders/{account_id}/{order_number}/reveal": { answer: RevealedOrder };
  "POST /dashboard/orders/{account_id}/{order_number}/safety_entries": {
    body: SafetyEntryRequest;
    answer: RevealedOrder;
  };
  "POST /dashboard/orders/{account_id}/{order_number}/safety_entries/remove": {
    body: SafetyEntryRemovalRequest;
    answer: RevealedOrder;
  };
  "POST /dashboard/orders/{account_id}/{order_number}/work": { body: WorkRequest; answer: DashboardOrder };
  "GET /dashboard/orders/{account_id}/{order_number}/messages": { answer: DashboardMessages };
  "POST /dashboard/orders/{account_id}/{order_number}/messages": { body: StaffMessageRequest; answer: Message };
  "GET /dashboard/orders/{account_id}/{order_number}/prescriptions": { answer: DashboardPrescriptions };
  "POST /dashboard/orders/{account_id}/{order_number}/prescriptions/{prescription_id}/renewal_requests": {
    body: RenewalRequestInput;
    answer: DashboardPrescriptions;
  };
  "POST /dashboard/orders/{account_id}/{order_number}/prescriptions/{prescription_id}/change_requests": {
    body: ChangeRequestInput;
    answer: DashboardPrescriptions;
  };
  "GET /dashboard/orders/{account_id}/{order_number}/documents/{kind}": { query: "item_id"; answer: WebFile };

  "POST /dashboard/orders/{account_id}/{order_number}/misses": { body: ProductMissRequest; answer: { noted: boolean } };

  "GET /dashboard/counseling": { query: "show" | "environment" | "cursor" | "limit"; answer: DashboardCounseling };
  "POST /dashboard/counseling/{account_id}/{order_number}/{item_id}": {
    body: CounselingRequest;
    answer: CounselingFill;
  };
  "POST /dashboard/counseling/{account_id}/{order_number}/{item_id}/reveal": { answer: RevealedCounseling };

  "GET /dashboard/reports/{report}": { query: ReportQuery; answer: DashboardReport };
  "GET /dashboard/reports/{report}/{format}": { query: ReportQuery; answer: WebFile };

  "GET /dashboard/patients/{account_id}/{patient_key}": { answer: DashboardPatient };
  "POST /dashboard/patients/{account_id}/{patient_key}/reveal": { answer: RevealedPatient };

  "GET /dashboard/reviews": { query: "all" | "environment"; answer: DashboardReviews };
  "GET /dashboard/reviews/{account_id}/{review_id}": { answer: DashboardReviewPage };
  "POST /dashboard/reviews/{account_id}/{review_id}/reveal": { answer: RevealedReview };
  "GET /dashboard/reviews/{account_id}/{review_id}/message": { answer: RawMessage };
  "POST /dashboard/reviews/{account_id}/{review_id}/resolve": { body: ResolveReviewRequest; answer: ReviewClosed };
  "POST /dashboard/reviews/{account_id}/{review_id}/verdict": { body: VerdictRequest; answer: ReviewClosed };
  "POST /dashboard/reviews/{account_id}/{review_id}/route": { body: RouteReviewRequest; answer: ReviewClosed };

  "GET /dashboard/partners": { answer: DashboardPartners };
  "POST /dashboard/partners": { body: NewPartnerRequest; answer: DashboardPartner };
  "POST /dashboard/partners/{account_id}/routing_rules": { body: RoutingRuleRequest; answer: DashboardPartner };
  /** What the account stores and how much it may. `pestle partner quota` changes it. */
  "GET /dashboard/partners/{account_id}/quotas": { answer: { quotas: ShownQuota[] } };
  "GET /dashboard/partners/{account_id}/credentials": { answer: DashboardCredentials };
  "POST /dashboard/partners/{account_id}/credentials": { body: NewCredentialRequest; answer: ShownCredential };
  "POST /dashboard/credentials/{client_id}/rotate": { answer: ShownCredential };
  "POST /dashboard/credentials/{client_id}/finish": { answer: CredentialChanged };
  "POST /dashboard/credentials/{client_id}/revoke": { body: RevokeCredentialRequest; answer: CredentialChanged };
  "PATCH /dashboard/credentials/{client_id}": { body: CredentialLimitsUpdate; answer: CredentialChanged };
  "POST /dashboard/credentials/{client_id}/keys": { body: CredentialKeyInput; answer: CredentialChanged };
  "POST /dashboard/credentials/{client_id}/keys/remove": { body: CredentialKeyRemoval; answer: CredentialChanged };

  "GET /dashboard/people": { answer: DashboardPeople };
  "POST /dashboard/people": { body: NewPersonRequest; answer: ShownPassword };
  "GET /dashboard/people/{person_id}/sessions": { answer: OpenSessions };
  "POST /dashboard/people/{person_id}/end_sessions": { answer: { ended: number } };
  "POST /dashboard/people/{person_id}/disable": { answer: PersonChanged };
  "POST /dashboard/people/{person_id}/enable": { answer: PersonChanged };
  "POST /dashboard/people/{person_id}/second_factor": { answer: PersonChanged };
  "POST /dashboard/people/{person_id}/role": { body: PersonRoleRequest; answer: PersonChanged };
  "POST /dashboard/people/{person_id}/password": { body: PasswordResetRequest; answer: ShownPassword };
  "POST /dashboard/people/{person_id}/license": { body: LicenseRequest; answer: PersonChanged };

  "GET /dashboard/catalogue/{account_id}": { answer: DashboardCatalogue };
  "POST /dashboard/catalogue/{account_id}/import": { body: CatalogueImportRequest; answer: CatalogueImportAnswer };
  "GET /dashboard/catalogue/{account_id}/services": { answer: DashboardShippingServices };
  "POST /dashboard/catalogue/{account_id}/services": {
    body: ShippingServiceRequest;
    answer: DashboardShippingServices;
  };
  "GET /dashboard/licences/{environment}": { answer: DashboardLicences };
  "POST /dashboard/licences/{environment}/import": { body: CatalogueImportRequest; answer: CatalogueImportAnswer };
  "GET /dashboard/stock/{account_id}": { answer: DashboardStock };
  "POST /dashboard/stock/{account_id}/receive": { body: StockRequest; answer: MovedShelf };
  "POST /dashboard/stock/{account_id}/count": { body: StockRequest; answer: MovedShelf };
  "GET /dashboard/stock/{account_id}/lots": { query: "sku"; answer: DashboardLots };
  "POST /dashboard/stock/{account_id}/return": { body: ReturnRequest; answer: ReturnedParcel };
  "POST /dashboard/stock/{account_id}/destroy": { body: DestructionRequest; answer: MovedShelf };

  "GET /dashboard/statements/{account_id}": { query: "limit" | "cursor"; answer: StatementMonths };
  "GET /dashboard/statements/{account_id}/{month}": { query: "limit" | "cursor"; answer: StatementPage };
  "GET /dashboard/statements/{account_id}/{month}/csv": { answer: WebFile };
  "POST /dashboard/statements/{account_id}": { body: AdjustmentRequest; answer: BookedAdjustment };

  "GET /dashboard/audit": {
    query: "before" | "person_id" | "account_id" | "subject" | "action" | "patient_id";
    answer: DashboardAudit;
  };
  "GET /dashboard/audit.csv": { query: "account_id" | "patient_id"; answer: WebFile };
  "GET /dashboard/health": { answer: DashboardHealth };
  "GET /dashboard/providers": { answer: DashboardProviders };
  "POST /dashboard/providers/{provider}/test": { answer: ProviderTest };
};
