/**
 * How each column of the database is protected, as docs/guides/security.md lists it. A test compares this with the
 * schema: a new text column without a row fails.
 */
export const protections = {
  sealed: "encrypted with AES-256-GCM under a data key, bound to its row",
  blind: "a keyed hash that finds equal values and reveals nothing else",
  hashed: "a one-way hash",
  wrapped: "a key, encrypted by the master key",
  emptied: "in clear in earlier versions; the first start seals it, and the column stays empty",
  treatment: "treatment data in clear: SQL decides orders, stock, holds and reports by it",
  person: "in clear, and it identifies a person",
  business: "in clear: the set-up of partners and pharmacy",
  record: "in clear: ids, states and words that Pestle assigns",
  measure: "in clear: numbers, times and flags",
} as const;
export type Protection = keyof typeof protections;

/** Column names that mean the same in every table. */
const byName: readonly (readonly [name: RegExp, protection: Protection])[] = [
  [/_sealed$/, "sealed"],
  [/_index$|^person_keys?$/, "blind"],
  [/_hash$|^fingerprint$|^sha256$|^checksum$/, "hashed"],
  [/^wrapped$/, "wrapped"],
  [/^(ndc|gcn|drug_name|drug_schedule|unit|units)$/, "treatment"],
  [
    /^(account_id|for_account_id|partner_id|credential_id|signing_credential_id|order_number|person_id|environment)$/,
    "record",
  ],
  [/^(sku|carrier|method|label_format)$/, "business"],
  [/^(kind|state|status|outcome|role|actor|event|event_type|stage|workflow|source|format|scopes)$/, "record"],
  [/_(by|status)$/, "record"],
];

/** The types that hold no text. A number, a time or a flag is in clear unless a row below says otherwise. */
const MEASURES = /^(integer|bigint|smallint|real|numeric|boolean|date|timestamp|uuid)/;

/** What neither the name nor the type decides. */
const byTable: Record<string, Partial<Record<Protection, readonly string[]>>> = {
  account: { business: ["ncpdp_id"] },
  account_feed: { record: ["server"] },
  account_usage: { record: ["quota"] },
  audit_destination: { business: ["destination", "fault"] },
  audit_entry: { record: ["action", "field_groups", "patient_keys"], person: ["subject", "address", "os_user"] },
  audit_key: { record: ["key_id", "public_key"] },
  audit_root: { record: ["key_id", "signature"] },
  brand: { business: ["name"] },
  card_authorization: { record: ["authorization_key", "problem"], business: ["reference"] },
  catalogue_version: { business: ["summary"] },
  counseling_entry: { record: ["how"], person: ["license_number"] },
  credential: { business: ["name", "allowed_networks"] },
  credential_key: { business: ["kid", "jwk"] },
  data_loss: { record: ["system_id"] },
  database_run: { record: ["system_id"], business: ["recovery_target"] },
  id_key: { record: ["key"] },
  idempotent_answer: { record: ["path"], blind: ["fingerprint"], business: ["idempotency_key"] },
  intake_message: {
    business: ["sender", "receiver"],
    record: ["sender_message_id", "warnings"],
    emptied: ["answer"],
  },
  item_lot: { treatment: ["lot"] },
  ledger: { record: ["closed_month"] },
  lot_quarantine: { treatment: ["lot"] },
  licence: { business: ["number"] },
  money_entry: { record: ["payer"], business: ["description", "booking_key"] },
  order_exception: { blind: ["confirmed", "basis"], record: ["situations"] },
  order_fingerprint: { blind: ["fingerprint"] },
  order_history: { record: ["from", "to"] },
  order_item: { emptied: ["prescriber_name", "prescriber_phone", "prescriber_fax"], treatment: ["lot"] },
  order_message: { record: ["author"] },
  order_note: { blind: ["signature"] },
  orders: {
    record: ["held_from", "queue", "exception_ids", "payer"],
    emptied: ["reference"],
    business: ["label_carrier", "label_tracking_no", "payment_reference"],
    treatment: ["ship_state"],
  },
  parcel_label: { business: ["tracking_no", "tracking_url"] },
  payment_entry: { record: ["problem"] },
  partial_fill_request: { emptied: ["note"] },
  letter: { record: ["error"] },
  partner: { business: ["name"] },
  patient: { emptied: ["patient_id"], record: ["message_channels"] },
  patient_message: { record: ["notice", "channel", "reason", "provider", "provider_id"] },
  passkey: { business: ["name"], record: ["credential_key", "passkey_id", "public_key", "transports"] },
  person: { person: ["email", "name", "license_number", "license_state", "npi"] },
  pmp_submission: { record: ["control_number", "dispense_ids"], business: ["note"] },
  prescription: {
    record: ["acceptance", "sender_message_id", "order_errors", "fill_reports"],
    business: ["sender", "prescriber_order_number"],
    emptied: ["sig_text", "prescriber_name", "prescriber_phone", "prescriber_fax", "prescriber_npi", "prescriber_dea"],
  },
  product: {
    business: [
      "name",
      "ingredients",
      "package_sizes",
      "quantities",
      "written_quantities",
      "shipping_method_ids",
      "blocked_states",
    ],
  },
  postage: { business: ["provider", "provider_ref", "tracking_no", "service"] },
  postage_adjustment: { business: ["provider_ref"], record: ["reason"] },
  product_miss: { record: ["found"] },
  provider_exchange: { record: ["provider", "what", "error_code", "provider_request_id"] },
  queue_target: { record: ["queue"] },
  rate_lease: { record: ["bucket"] },
  prescriber_message: { business: ["sender"], record: ["error", "fill", "response"] },
  prescriber_route: { business: ["sender", "url"], record: ["version"] },
  recall_notice: { treatment: ["lot"] },
  refill_schedule: { record: ["consent_method", "next_fill_problems", "paused_because", "last_order_number"] },
  request_log: { record: ["method", "route", "error_codes", "body"] },
  sms_choice: { record: ["provider_id", "choice"] },
  review: { record: ["reasons"], emptied: ["facts"] },
  routing_rule: { business: ["value"] },
  safety_import: { business: ["version", "file_name", "summary", "data"] },
  schema_migration: { record: ["name"] },
  session: { record: ["session_id", "csrf_token", "opened_with"], person: ["address", "agent"] },
  shipment: { business: ["tracking_no", "tracking_url"] },
  shipment_scan: { person: ["place"], business: ["description"] },
  shipping_method: { business: ["name", "service"] },
  shipping_service: { business: ["service"] },
  sign_in_link: { record: ["purpose"] },
  sso_identity: { person: ["subject"], record: ["provider_id"] },
  sso_provider: { business: ["name", "issuer", "client_id", "domains"], record: ["provider_id", "provision_role"] },
  statement: { record: ["month", "sums"] },
  stock_count: { business: ["reason", "explanation"] },
  stock_entry: { business: ["note", "lot", "reason"], record: ["witness_id"] },
  stock_lot: { business: ["lot"] },
  webhook_attempt: { record: ["error"] },
  webhook_certification: { business: ["report"] },
  webhook_endpoint: { business: ["url", "events", "description", "disabled_reason"] },
  webhook_event: { emptied: ["body"], record: ["traceparent"] },
};

/** Undefined if the column needs a row in the table above. */
export function protectionOf(table: string, column: string, type: string): Protection | undefined {
  const listed = Object.entries(byTable[table] ?? {}).find(([, names]) => names.includes(column));
  if (listed !== undefined) return listed[0] as Protection;
  if (MEASURES.test(type) && !type.endsWith("[]")) return "measure";
  return byName.find(([name]) => name.test(column))?.[1];
}

/** Rows of the table above that name no column of the schema. */
export function unknownColumns(known: ReadonlySet<string>): string[] {
  return Object.entries(byTable).flatMap(([table, kinds]) =>
    Object.values(kinds)
      .flat()
      .map((column) => `${table}.${column}`)
      .filter((name) => !known.has(name)),
  );
}
