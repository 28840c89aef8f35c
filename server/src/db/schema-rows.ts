// Written by `npm run schema` from the migrated schema. Do not edit.
import type { Bytes, Instant } from "./values.ts";

/** The rows of each table, as the statements that save them take them (JSON). */
export type Rows = {
  access_token: {
    account_id: string;
    token_hash: Bytes;
    credential_id: string;
    secret_id: number | null;
    scopes: readonly string[];
    created_at: Instant;
    expires_at: Instant;
    key_id: number | null;
  };
  account: {
    account_id: string;
    partner_id: string | null;
    environment: string;
    workflow: string | null;
    ncpdp_id: string | null;
    custom_labels?: boolean;
    rate_per_second: number | null;
    rate_burst: number | null;
    clock_offset_s?: number;
    created_at: Instant;
    clock_goal_s?: number;
    clock_moved_at: Instant | null;
  };
  account_feed: {
    account_id: string;
    server: string;
    base: number;
  };
  account_home: {
    account_id: string;
  };
  account_usage: {
    account_id: string;
    quota: string;
    used?: number;
    most: number | null;
    counted_at: Instant | null;
    count_ms: number | null;
    changed_at: Instant;
  };
  audit_destination: {
    destination: string;
    shipped_number?: number;
    shipped_at: Instant | null;
    failing_since: Instant | null;
    fault: string | null;
    leased_until: Instant | null;
  };
  audit_entry: {
    at: Instant;
    person_id: string | null;
    role: string | null;
    account_id: string | null;
    action: string;
    subject: string | null;
    request_id: string | null;
    credential_id: string | null;
    os_user: string | null;
    address: string | null;
    patient_keys?: readonly number[];
    field_groups?: readonly string[];
    salt?: string;
  };
  audit_key: {
    key_id: string;
    public_key: string;
    private_sealed: Bytes;
    created_at: Instant;
  };
  audit_leaf: {
    position: number;
    audit_id: number;
    entry_hash: Bytes;
  };
  audit_node: {
    level: number;
    place: number;
    node_hash: Bytes;
  };
  audit_root: {
    size: number;
    root_hash: Bytes;
    at: Instant;
    key_id: string;
    signature: string;
  };
  audit_tree: {
    singleton?: boolean;
    log_id: string;
    size: number;
    settled_id: number;
    dropped_size?: number;
  };
  audit_writer: {
    process_id: string;
    started_at: Instant;
    written_until: Instant;
  };
  brand: {
    account_id: string;
    id: number;
    name: string;
    default?: boolean;
    retired_at: Instant | null;
  };
  card_authorization: {
    account_id: string;
    order_number: string;
    authorization_key: string;
    attempt: number;
    amount_cents: number;
    state: string;
    reference: string | null;
    asked_at: Instant;
    expires_at: Instant | null;
    captured_cents?: number;
    returned_cents?: number;
    fee_cents: number | null;
    disputed?: boolean;
    moved_at: Instant | null;
    next_check_at: Instant | null;
    tries?: number;
    problem: string | null;
  };
  catalogue_version: {
    account_id: string;
    version: number;
    kind: string;
    source: string;
    imported_at: Instant;
    summary: unknown;
  };
  client_assertion: {
    account_id: string;
    credential_id: string;
    jti_hash: Bytes;
    expires_at: Instant;
  };
  counseling_entry: {
    account_id: string;
    order_number: string;
    item_id: number;
    entry_number: number;
    at: Instant;
    outcome: string;
    how: string;
    person_id: string;
    license_number: string;
    note_sealed: Bytes | null;
  };
  credential: {
    account_id: string;
    credential_id: string;
    name: string;
    scopes: readonly string[];
    created_at: Instant;
    revoked_at: Instant | null;
    key_required?: boolean;
    allowed_networks?: readonly string[];
    token_lifetime_s: number | null;
  };
  credential_key: {
    account_id: string;
    credential_id: string;
    key_id: number;
    kid: string;
    jwk: unknown;
    created_at: Instant;
    last_used_at: Instant | null;
    removed_at: Instant | null;
  };
  credential_secret: {
    account_id: string;
    credential_id: string;
    secret_id: number;
    slot: number;
    digest_sealed: Bytes;
    created_at: Instant;
    last_used_at: Instant | null;
    revoked_at: Instant | null;
    tokens_void?: boolean;
  };
  data_key: {
    key_id: number;
    wrapped: Bytes;
    created_at: Instant;
    seals?: number;
  };
  data_loss: {
    system_id: string;
    timeline: number;
    noticed_at: Instant;
    lost_from: Instant;
    lost_until: Instant;
    lost_bytes: number | null;
    told_until: Instant | null;
    closed_at: Instant | null;
  };
  database_run: {
    singleton?: boolean;
    system_id: string;
    timeline: number;
    synchronous: boolean;
    recovery_target: string;
    seen_at: Instant;
  };
  id_key: {
    singleton?: boolean;
    key: Bytes;
  };
  idempotent_answer: {
    account_id: string;
    path: string;
    idempotency_key: string;
    fingerprint: Bytes;
    status: number;
    created_at: Instant;
    body_sealed: Bytes;
  };
  index_key: {
    wrapped: Bytes;
    created_at: Instant;
    layer: number;
    index_key_id?: string;
  };
  intake_message: {
    account_id: string;
    format: string;
    sender: string;
    sender_message_id: string;
    receiver: string | null;
    body_hash: Bytes;
    body_sealed: Bytes;
    received_at: Instant;
    state?: string;
    attempts?: number;
    kind: string | null;
    outcome: string | null;
    for_account_id: string | null;
    warnings?: readonly string[];
    answer: string | null;
    processed_at: Instant | null;
    answer_sealed: Bytes | null;
  };
  item_lot: {
    account_id: string;
    order_number: string;
    item_id: number;
    lot: string;
    sku: string;
    expires_on: string;
    units: number;
    shelf_units: number;
  };
  last_backup: {
    singleton?: boolean;
    finished_at: Instant;
    size_bytes: number;
  };
  ledger: {
    account_id: string;
    closed_until?: Instant;
    closed_month: string | null;
  };
  letter: {
    letter_id: string;
    created_at: Instant;
    state: string;
    due_at: Instant | null;
    attempts?: number;
    claims?: number;
    claimed_until: Instant | null;
    error: string | null;
    content_sealed: Bytes;
  };
  licence: {
    environment: string;
    state: string;
    number: string;
    status: string;
    valid_from: string;
    valid_to: string;
    retired_at: Instant | null;
  };
  lot_quarantine: {
    environment: string;
    lot: string;
    sku: string;
    quarantined_at: Instant;
    quarantined_by: string;
  };
  master_key: {
    singleton?: boolean;
    fingerprint: string;
    since: Instant;
  };
  money_entry: {
    account_id: string;
    booked_at: Instant;
    source_id: string;
    line_no: number;
    kind: string;
    payer: string;
    amount_cents: number;
    order_number: string | null;
    item_id: number | null;
    sku: string | null;
    quantity: number | null;
    reason_id: number | null;
    description: string | null;
    booking_key: string | null;
  };
  notification: {
    account_id: string;
    person_id: string;
    at: Instant;
    kind: string;
    order_number: string;
    caused_by: string | null;
    read_at: Instant | null;
  };
  order_action_request: {
    account_id: string;
    order_number: string;
    id?: number;
    event: string;
    exception_id: number | null;
    reason_id: number | null;
    amount_cents: number | null;
    prescription_id: number | null;
    item_id: number | null;
    created_at: Instant;
  };
  order_exception: {
    account_id: string;
    order_number: string;
    exception_id: number;
    raised_at: Instant;
    resolved_at: Instant | null;
    resolved_by: string | null;
    confirmed: string | null;
    occurrence: number;
    basis: string | null;
    elsewhere?: boolean;
    situations?: readonly string[];
  };
  order_fingerprint: {
    account_id: string;
    fingerprint: Bytes;
    order_number: string;
    created_at: Instant;
  };
  order_history: {
    account_id: string;
    order_number: string;
    at: Instant;
    actor: string;
    event: string;
    from: string | null;
    to: string;
    exception_id: number | null;
    person_id: string | null;
    stage: string | null;
    note_id: string | null;
    request_id: string | null;
  };
  order_item: {
    account_id: string;
    order_number: string;
    item_id: number;
    dispense_id?: number;
    prescription_id: number | null;
    needs_prescription: boolean;
    sku: string;
    ndc: string | null;
    gcn: string | null;
    quantity: number;
    package_size: number;
    reserved: boolean;
    price_cents: number;
    prescriber_name: string | null;
    prescriber_phone: string | null;
    prescriber_fax: string | null;
    pending?: boolean;
    alone: boolean;
    removed_at: Instant | null;
    lot: string | null;
    lot_expires_on: string | null;
    shipped_at: Instant | null;
    supply_ends_at: Instant | null;
    prescriber_sealed: Bytes | null;
    patient_key: number;
    returned_at: Instant | null;
  };
  order_message: {
    account_id: string;
    order_number: string;
    message_number: number;
    message_id: string;
    author: string;
    person_id: string | null;
    in_reply_to: string | null;
    exception_id: number | null;
    created_at: Instant;
    text_sealed: Bytes;
  };
  order_note: {
    account_id: string;
    order_number: string;
    note_id: string;
    at: Instant;
    person_id: string | null;
    role: string;
    text_sealed: Bytes;
    signature: Bytes | null;
  };
  orders: {
    account_id: string;
    order_number: string;
    order_position: number;
    revision?: number;
    order_status: string;
    stage: string | null;
    held_from: string | null;
    open_exceptions?: number;
    exception_ids?: readonly number[];
    brand_id: number | null;
    reference: string | null;
    workflow: string;
    shipping_method_id: number;
    signature_confirmation: boolean;
    address_sealed: Bytes | null;
    ship_state: string | null;
    label_format: string | null;
    label_carrier: string | null;
    label_tracking_no: string | null;
    label_sealed: Bytes | null;
    payer: string;
    payment_status: string;
    payment_reference: string | null;
    payment_token_sealed: Bytes | null;
    amount_cents: number;
    refunded_cents?: number;
    sequence: number;
    created_at: Instant;
    updated_at: Instant;
    claimed_by: string | null;
    claimed_until: Instant | null;
    filled_by: string | null;
    safety_sealed: Bytes | null;
    payment_attempt?: number;
    captured_cents?: number;
    stage_since: Instant;
    drug_schedule?: string;
    reference_sealed: Bytes | null;
    reference_index: Bytes | null;
    patient_key: number;
  };
  parcel_label: {
    account_id: string;
    order_number: string;
    label_id: number;
    state: string;
    tracking_no: string;
    tracking_url: string | null;
    carrier: string;
    label_format: string;
    printed_at: Instant;
    printed_by: string;
    content_sealed: Bytes | null;
  };
  partial_fill_request: {
    account_id: string;
    prescription_id: number;
    requested_by: string;
    note: string | null;
    recorded_by: string;
    recorded_at: Instant;
    note_sealed: Bytes | null;
  };
  partner: {
    partner_id: string;
    name: string;
    created_at: Instant;
  };
  passkey: {
    credential_key: Bytes;
    passkey_id?: string;
    person_id: string;
    name: string;
    public_key: Bytes;
    sign_count: number;
    backup_eligible: boolean;
    backed_up: boolean;
    transports: readonly string[];
    created_at: Instant;
    last_used_at: Instant | null;
  };
  patient: {
    account_id: string;
    patient_id: string | null;
    revision?: number;
    record_sealed: Bytes;
    name_dob_index: Bytes;
    email_index: Bytes | null;
    phone_index: Bytes | null;
    created_at: Instant;
    updated_at: Instant;
    recheck_due?: boolean;
    person_keys: readonly Bytes[] | null;
    patient_key: number;
    id_sealed: Bytes | null;
    id_index: Bytes | null;
    surname_index: Bytes | null;
    dob_index: Bytes | null;
    message_channels?: readonly string[];
  };
  patient_alias: {
    account_id: string;
    alias_index: Bytes;
    created_at: Instant;
    patient_key: number;
  };
  patient_message: {
    account_id: string;
    order_number: string;
    notice: string;
    channel: string;
    message_id: string;
    patient_key: number;
    state: string;
    reason: string | null;
    created_at: Instant;
    due_at: Instant | null;
    attempts?: number;
    claims?: number;
    claimed_until: Instant | null;
    provider: string | null;
    provider_id: string | null;
    sent_at: Instant | null;
    content_sealed: Bytes | null;
  };
  patient_name_claim: {
    account_id: string;
    name_dob_index: Bytes;
    revision: number;
  };
  payment_entry: {
    account_id: string;
    order_number: string;
    payment_entry_id: string;
    kind: string;
    amount_cents: number;
    reason_id: number | null;
    state: string;
    actor: string;
    at: Instant;
    tries?: number;
    next_try_at: Instant | null;
    problem: string | null;
  };
  person: {
    person_id: string;
    email: string;
    name: string;
    role: string;
    partner_id: string | null;
    password_hash: string;
    created_at: Instant;
    disabled_at: Instant | null;
    totp_sealed: Bytes | null;
    totp_confirmed_at: Instant | null;
    totp_last_step?: number;
    last_signed_in_at: Instant | null;
    license_number: string | null;
    license_state: string | null;
    license_expires_on: string | null;
    npi: string | null;
    must_change_password?: boolean;
    daily_digest?: boolean;
    digest_on: string | null;
  };
  person_due: {
    account_id: string;
    patient_key: number;
  };
  person_link: {
    environment: string;
    person_key: Bytes;
    account_id: string;
    patient_key: number;
  };
  pmp_submission: {
    submission_id?: number;
    environment: string;
    kind: string;
    state: string | null;
    from_date: string;
    to_date: string;
    control_number: string;
    records: number;
    dispense_ids?: readonly number[];
    file_hash: Bytes;
    created_at: Instant;
    status?: string;
    status_at: Instant | null;
    status_by: string | null;
    note: string | null;
  };
  postage: {
    account_id: string;
    order_number: string;
    postage_id: number;
    label_id: number;
    provider: string;
    provider_ref: string;
    state: string;
    made_at: Instant;
    tracking_no: string | null;
    carrier: string | null;
    service: string | null;
    rate_cents: number | null;
    paid_cents: number | null;
    check_at: Instant | null;
    made_for_sealed: Bytes;
  };
  postage_adjustment: {
    account_id: string;
    order_number: string;
    postage_id: number;
    provider_ref: string;
    at: Instant;
    amount_cents: number;
    reason: string;
  };
  prescriber_message: {
    account_id: string;
    message_id: string;
    kind: string;
    state: string;
    sender: string;
    prescription_id: number | null;
    order_number: string | null;
    fill: string | null;
    person_id: string | null;
    created_at: Instant;
    due_at: Instant | null;
    attempts?: number;
    claims?: number;
    claimed_until: Instant | null;
    error: string | null;
    sent_at: Instant | null;
    answered_at: Instant | null;
    response: string | null;
    new_prescription_id: number | null;
    asked_sealed: Bytes | null;
    body_sealed: Bytes | null;
    answer_sealed: Bytes | null;
  };
  prescriber_route: {
    account_id: string;
    sender: string;
    url: string;
    version: string;
    sends_fills: boolean;
    sends_cancels: boolean;
    signing_secret_sealed: Bytes;
    created_at: Instant;
  };
  prescription: {
    account_id: string;
    prescription_id?: number;
    active?: boolean;
    acceptance: string;
    source: string;
    intake_message_id: number;
    sender: string;
    sender_message_id: string;
    prescriber_order_number: string | null;
    replaces_prescription_id: number | null;
    prescriber_name: string | null;
    prescriber_phone: string | null;
    prescriber_fax: string | null;
    prescriber_npi: string | null;
    prescriber_dea: string | null;
    received_at: Instant;
    expires_at: Instant;
    written_date: string;
    effective_date: string;
    drug_name: string;
    ndc: string | null;
    gcn: string | null;
    sig_text: string | null;
    written_qty: number;
    unit: string | null;
    days_supply: number | null;
    refills: number;
    drug_schedule: string;
    daw: boolean;
    details_sealed: Bytes;
    units_ordered?: number;
    order_due_at: Instant | null;
    order_errors?: unknown;
    written_sealed: Bytes | null;
    patient_key: number;
    expiry_notice_at: Instant | null;
    prohibits_renewal?: boolean;
    fill_reports: readonly string[] | null;
  };
  product: {
    account_id: string;
    sku: string;
    ndc: string | null;
    gcn: string | null;
    name: string;
    ingredients: readonly string[];
    rx_only: boolean;
    drug_schedule: string;
    package_sizes: readonly number[];
    quantities: readonly number[];
    written_quantities: readonly number[];
    max_units: number;
    shipping_method_ids: readonly number[];
    blocked_states?: readonly string[];
    cold_chain?: boolean;
    price_cents: number;
    back_orders?: boolean;
    retired_at: Instant | null;
    is_drug?: boolean;
    held_price_cents: number | null;
    held_until: Instant | null;
  };
  product_miss: {
    account_id: string;
    order_number: string;
    at: Instant;
    person_id: string;
    stage: string;
    found: string;
  };
  provider_exchange: {
    account_id: string;
    order_number: string;
    exchange_id: string;
    at: Instant;
    provider: string;
    what: string;
    status: number | null;
    duration_ms: number;
    tries: number;
    error_code: string | null;
    provider_request_id: string | null;
  };
  queue_target: {
    queue: string;
    target_minutes: number | null;
    set_by: string;
    set_at: Instant;
  };
  rate_lease: {
    account_id: string;
    bucket: string;
    process_id: string;
    seen_at: Instant;
  };
  recall_notice: {
    account_id: string;
    order_number: string;
    lot: string;
    told_at: Instant;
    told_by: string;
  };
  recovery_code: {
    person_id: string;
    code_hash: Bytes;
  };
  refill_schedule: {
    account_id: string;
    schedule_id: string;
    schedule_position: number;
    patient_key: number;
    prescription_id: number;
    status: string;
    every_days: number | null;
    lead_days: number;
    consent_at: Instant;
    consent_method: string;
    request_sealed: Bytes;
    next_fill_on: string | null;
    notified_for: string | null;
    next_fill_problems?: unknown;
    paused_because: unknown;
    last_order_number: string | null;
    last_filled_on: string | null;
    due_at: Instant | null;
    revision?: number;
    created_at: Instant;
    updated_at: Instant;
    followed_on: string | null;
  };
  replica_mark: {
    singleton?: boolean;
    at: Instant;
    server_started_at: Instant;
  };
  request_latency: {
    account_id: string;
    hour: Instant;
    bucket: number;
    requests: number;
  };
  request_log: {
    account_id: string;
    at: Instant;
    request_id: string;
    credential_id: string;
    method: string;
    route: string;
    status: number;
    duration_ms: number;
    error_codes?: readonly number[];
    body: string | null;
  };
  request_minute: {
    account_id: string;
    minute: Instant;
    credential_id: string;
    requests: number;
    client_errors: number;
    server_errors: number;
    limited: number;
  };
  review: {
    account_id: string;
    kind: string;
    intake_message_id: number | null;
    prescription_id: number | null;
    reasons?: readonly string[];
    facts: unknown;
    created_at: Instant;
    resolved_at: Instant | null;
    resolved_by: string | null;
    outcome: string | null;
    facts_sealed: Bytes | null;
    patient_key: number | null;
  };
  routing_rule: {
    account_id: string;
    kind: string;
    value: string;
    created_at: Instant;
  };
  safety_import: {
    version: string;
    file_name: string;
    sha256: string;
    imported_by: string;
    imported_at: Instant;
    summary: unknown;
    data: unknown;
  };
  schema_migration: {
    version: number;
    name: string;
    checksum: string;
    applied_at?: Instant;
    oldest_build?: number;
  };
  server_process: {
    process_id: string;
    seen_at: Instant;
  };
  session: {
    session_hash: Bytes;
    person_id: string;
    csrf_token: string;
    complete: boolean;
    created_at: Instant;
    last_seen_at: Instant;
    session_id?: string;
    verified_at: Instant | null;
    address: string | null;
    agent: string | null;
    opened_with?: string;
  };
  shipment: {
    account_id: string;
    order_number: string;
    shipment_id: number;
    tracking_no: string;
    tracking_url: string | null;
    carrier: string;
    method: string;
    status: string;
    shipped_at: Instant;
    delivered_at: Instant | null;
    next_scan_at: Instant | null;
    label_format: string;
    label_sealed: Bytes;
  };
  shipment_scan: {
    account_id: string;
    order_number: string;
    shipment_id: number;
    at: Instant;
    status: string;
    place: string | null;
    description: string;
  };
  shipping_method: {
    account_id: string;
    id: number;
    name: string;
    carrier: string;
    service: string;
    signature_confirmation: boolean;
    po_box: boolean;
    cold_chain: boolean;
    price_cents: number;
    transit_days_min: number;
    transit_days_max: number;
    default?: boolean;
    retired_at: Instant | null;
    held_price_cents: number | null;
    held_until: Instant | null;
  };
  shipping_service: {
    account_id: string;
    method_id: number;
    carrier: string;
    service: string;
    length_in: number | null;
    width_in: number | null;
    height_in: number | null;
    weight_oz: number | null;
  };
  sign_in_link: {
    link_hash: Bytes;
    person_id: string;
    purpose: string;
    created_at: Instant;
    expires_at: Instant;
  };
  sms_choice: {
    phone_index: Bytes;
    provider_id: string;
    choice: string;
    at: Instant;
  };
  sso_identity: {
    provider_id: string;
    subject: string;
    person_id: string;
    created_at: Instant;
  };
  sso_provider: {
    provider_id: string;
    partner_id: string | null;
    name: string;
    issuer: string;
    client_id: string;
    client_secret_sealed: Bytes | null;
    domains: readonly string[];
    sso_only?: boolean;
    own_second_factor?: boolean;
    provision_role: string | null;
    created_at: Instant;
  };
  statement: {
    account_id: string;
    month: string;
    from_at: Instant;
    to_at: Instant;
    closed_at: Instant;
    sums: unknown;
  };
  stock: {
    account_id: string;
    sku: string;
    on_hand_units: number;
    reserved_units?: number;
    lot_units?: number;
    loose_filled_units?: number;
    returned_units?: number;
  };
  stock_count: {
    account_id: string;
    sku: string;
    at: Instant;
    counted_by: string;
    counted_units: number;
    ledger_units: number;
    reason: string | null;
    explanation: string | null;
  };
  stock_entry: {
    account_id: string;
    sku: string;
    kind: string;
    units: number;
    order_number: string | null;
    at: Instant;
    note: string | null;
    lot: string | null;
    lot_units: number | null;
    reason: string | null;
    person_id: string | null;
    witness_id: string | null;
  };
  stock_lot: {
    account_id: string;
    sku: string;
    lot: string;
    expires_on: string;
    on_hand_units?: number;
    filled_units?: number;
    returned_units?: number;
  };
  used_challenge: {
    challenge_hash: Bytes;
    expires_at: Instant;
  };
  webhook_attempt: {
    account_id: string;
    event_id: string;
    endpoint_id: string;
    attempt: number;
    at: Instant;
    delivery_status: string;
    status: number | null;
    error: string | null;
    duration_ms: number;
    exchange_sealed: Bytes | null;
  };
  webhook_certification: {
    account_id: string;
    endpoint_id: string;
    started_at: Instant;
    finished_at: Instant | null;
    report: string | null;
  };
  webhook_delivery: {
    account_id: string;
    event_id: string;
    endpoint_id: string;
    event_position: number;
    order_number: string | null;
    attempts?: number;
    attempts_before?: number;
    due_at: Instant;
    claims?: number;
    claimed_until: Instant | null;
    queued_at?: Instant;
  };
  webhook_endpoint: {
    account_id: string;
    endpoint_id: string;
    url: string;
    events?: readonly string[];
    description: string | null;
    status?: string;
    disabled_reason: string | null;
    disabled_at: Instant | null;
    secret_sealed: Bytes;
    signing_secret_sealed: Bytes;
    signing_credential_id: string;
    signing_credential_secret_id: number;
    failing_since: Instant | null;
    created_at: Instant;
    updated_at: Instant;
  };
  webhook_endpoint_hour: {
    account_id: string;
    endpoint_id: string;
    hour: Instant;
    attempts: number;
    delivered: number;
    failed: number;
    duration_ms: number;
    slowest_ms: number;
  };
  webhook_event: {
    account_id: string;
    event_id: string;
    event_type: string;
    order_number: string | null;
    body: string | null;
    created_at: Instant;
    event_position?: number;
    feed_position?: number;
    only_endpoint_id: string | null;
    body_sealed: Bytes | null;
    traceparent?: string | null;
  };
  webhook_feed: {
    singleton?: boolean;
    base: number;
    server_started_at: Instant | null;
  };
};

/** The arguments of each function in server/functions, with their types. */
export const calls = {
  add_usage: {
    account_ids: "text[]",
    quotas: "text[]",
    amounts: "bigint[]",
  },
  audit_patient_keys: {
    account_id: "text",
    id_indexes: "bytea[]",
  },
  audit_patients: {
    account_id: "text",
    patient_keys: "bigint[]",
  },
  claim_deliveries: {
    account_ids: "text[]",
    endpoint_ids: "uuid[]",
    most: "integer[]",
    account_nows: "timestamp with time zone[]",
    lease_s: "integer",
  },
  close_month: {
    account_id: "text",
    known_closed_until: "timestamp with time zone",
    month: "text",
    from_at: "timestamp with time zone",
    to_at: "timestamp with time zone",
    closed_at: "timestamp with time zone",
  },
  dispense_lots: {
    account_id: "text",
    order_number: "text",
    dispensed_sku: "text",
    dispensed_at: "timestamp with time zone",
  },
  fill_lots: {
    account_id: "text",
    order_number: "text",
    changed_items: "jsonb",
    lot_items: "integer[]",
  },
  load_intake: {
    account_id: "text",
    alias_indexes: "bytea[]",
    name_dob_index: "bytea",
    phone_index: "bytea",
    wanted_indexes: "bytea[]",
    sender: "text",
    relates_to: "text",
    prescriber_order_number: "text",
    with_prescriptions: "boolean",
    meant_index: "bytea",
  },
  load_order: {
    account_id: "text",
    fingerprint: "bytea",
    fingerprint_since: "timestamp with time zone",
    patient_index: "bytea",
    prescription_ids: "bigint[]",
    skus: "text[]",
    taken_since: "timestamp with time zone",
  },
  new_dispense_ids: {
    account_id: "text",
    items: "integer",
  },
  require_index_key: {
    expected: "text",
  },
  save_change: {
    account_id: "text",
    order_number: "text",
    known_revision: "integer",
    changed_at: "timestamp with time zone",
    real_at: "timestamp with time zone",
    new_status: "text",
    new_stage: "text",
    new_held_from: "text",
    new_exception_ids: "integer[]",
    new_sequence: "integer",
    new_columns: "jsonb",
    checked_patient_key: "bigint",
    checked_patient_revision: "integer",
    checked_prescription_ids: "bigint[]",
    changed_patient: "jsonb",
    prescription_ids: "bigint[]",
    prescription_units: "numeric[]",
    known_units_ordered: "numeric[]",
    moved_skus: "text[]",
    moved_kinds: "text[]",
    moved_units: "numeric[]",
    moved_on_hand: "numeric[]",
    moved_reserved: "numeric[]",
    event_ids: "uuid[]",
    event_types: "text[]",
    event_bodies_sealed: "bytea[]",
    changed_items: "jsonb",
    resolved: "jsonb",
    raised: "jsonb",
    note: "jsonb",
    history: "jsonb",
    shipped: "jsonb",
    tracked: "jsonb",
    scans: "jsonb",
    payments: "jsonb",
    asked: "jsonb",
    audit: "jsonb",
  },
  save_intake: {
    account_id: "text",
    message_account_id: "text",
    intake_message_id: "bigint",
    message_was: "text",
    outcome: "text",
    for_account_id: "text",
    warnings: "text[]",
    answer_sealed: "bytea",
    processed_at: "timestamp with time zone",
    patient_key: "bigint",
    claim_revision: "integer",
    id_sealed: "bytea",
    id_index: "bytea",
    name_dob_index: "bytea",
    surname_index: "bytea",
    dob_index: "bytea",
    record_sealed: "bytea",
    email_index: "bytea",
    phone_index: "bytea",
    person_keys: "bytea[]",
    patient_revision: "integer",
    recheck_due: "boolean",
    new_alias_indexes: "bytea[]",
    ended_ids: "bigint[]",
    ended_units: "numeric[]",
    prescription_id: "bigint",
    acceptance: "text",
    source: "text",
    sender: "text",
    sender_message_id: "text",
    prescriber_order_number: "text",
    replaces_prescription_id: "bigint",
    written_sealed: "bytea",
    received_at: "timestamp with time zone",
    expires_at: "timestamp with time zone",
    written_date: "date",
    effective_date: "date",
    drug_name: "text",
    ndc: "text",
    gcn: "text",
    written_qty: "numeric",
    unit: "text",
    days_supply: "integer",
    refills: "integer",
    drug_schedule: "text",
    daw: "boolean",
    details_sealed: "bytea",
    order_due_at: "timestamp with time zone",
    reviews: "jsonb",
    event_ids: "uuid[]",
    event_types: "text[]",
    event_bodies_sealed: "bytea[]",
  },
  save_order: {
    account_id: "text",
    order_number: "text",
    order_position: "bigint",
    order_status: "text",
    stage: "text",
    held_from: "text",
    exception_ids: "integer[]",
    patient_key: "bigint",
    brand_id: "integer",
    reference_sealed: "bytea",
    reference_index: "bytea",
    workflow: "text",
    shipping_method_id: "integer",
    signature_confirmation: "boolean",
    address_sealed: "bytea",
    ship_state: "text",
    label_format: "text",
    label_carrier: "text",
    label_tracking_no: "text",
    label_sealed: "bytea",
    payer: "text",
    payment_status: "text",
    payment_token_sealed: "bytea",
    amount_cents: "integer",
    safety_sealed: "bytea",
    sequence: "integer",
    drug_schedule: "text",
    stage_since: "timestamp with time zone",
    created_at: "timestamp with time zone",
    updated_at: "timestamp with time zone",
    actor: "text",
    item_ids: "integer[]",
    dispense_ids: "bigint[]",
    item_prescription_ids: "bigint[]",
    items_need_prescription: "boolean[]",
    item_skus: "text[]",
    item_ndcs: "text[]",
    item_gcns: "text[]",
    item_quantities: "integer[]",
    item_package_sizes: "numeric[]",
    items_reserved: "boolean[]",
    item_prices_cents: "integer[]",
    item_prescribers_sealed: "bytea[]",
    items_alone: "boolean[]",
    patient_revision: "integer",
    new_record_sealed: "bytea",
    new_email_index: "bytea",
    new_phone_index: "bytea",
    new_person_keys: "bytea[]",
    new_record_at: "timestamp with time zone",
    new_recheck_due: "boolean",
    prescription_ids: "bigint[]",
    prescription_units: "numeric[]",
    known_units_ordered: "numeric[]",
    fingerprint: "bytea",
    fingerprint_at: "timestamp with time zone",
    fingerprint_since: "timestamp with time zone",
    reserved_skus: "text[]",
    reserved_units: "numeric[]",
    holds: "jsonb",
    event_ids: "uuid[]",
    event_types: "text[]",
    event_bodies_sealed: "bytea[]",
    audit_at: "timestamp with time zone",
    audit_person_id: "text",
    audit_role: "text",
    audit_credential_id: "text",
    audit_os_user: "text",
    audit_address: "text",
    audit_action: "text",
    audit_request_id: "uuid",
    audit_field_groups: "text[]",
  },
  store_message: {
    account_id: "text",
    format: "text",
    sender: "text",
    sender_message_id: "text",
    body_hash: "bytea",
    body_sealed: "bytea",
    received_at: "timestamp with time zone",
    kind: "text",
    receiver: "text",
    refusal_sealed: "bytea",
  },
} as const;
