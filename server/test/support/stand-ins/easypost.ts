import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { uspsCheck } from "../../../src/adapters/carriers/tracking-numbers.ts";
import { onePagePdf, onePixelPng } from "../samples/labels.ts";

/** What goes wrong with a call. Without an answer, the effect happened (`lose_answer`) or did not (`lose_request`). */
type EasyPostFault = "lose_answer" | "lose_request" | "garbage" | 429 | 500 | Promise<void>;

type Rate = { carrier: string; service: string; cents: number; days: number };
type Verification = { code: string; message: string } | { corrected: Partial<Record<string, string | null>> };
type Detail = { status: string; message: string; datetime: string; city: string | null; state: string | null };
type Tracker = {
  id: string;
  tracking_code: string;
  carrier: string;
  shipment_id: string | null;
  details: Detail[];
  status: string;
};
type Shipment = {
  id: string;
  reference: string | null;
  to_address: Fields;
  from_address: Fields;
  parcel: Fields;
  options: Fields;
  rates: (Rate & { id: string })[];
  bought: { rate_id: string; tracker: Tracker; surcharge_cents: number } | null;
  refund_status: string | null;
};
type Fields = Record<string, unknown>;
type Answer = [status: number, body: unknown];

const LABELS = {
  PDF: { type: "application/pdf", ending: "pdf", bytes: Buffer.from(onePagePdf) },
  PNG: { type: "image/png", ending: "png", bytes: Buffer.from(onePixelPng, "base64") },
  ZPL: { type: "application/zpl", ending: "zpl", bytes: Buffer.from("^XA^FO50,50^A0N,40^FDLabel^FS^XZ") },
} as const;

/**
 * EasyPost on loopback: the calls that Pestle makes, with EasyPost's paths, authentication, states and error shapes. It
 * refuses what EasyPost would refuse. `fail` makes the next calls of a route go wrong.
 */
export async function startEasyPost({ key = "EZAKstandin0000", webhook_secret = "sécret" } = {}) {
  const shipments = new Map<string, Shipment>();
  const trackers = new Map<string, Tracker>();
  const calls: string[] = [];
  const faults: { route: string; fault: EasyPostFault }[] = [];
  /** Verdicts by street1; an address without one is found as it is. */
  const addresses = new Map<string, Verification>();
  const rates: Rate[] = [
    { carrier: "USPS", service: "Express", cents: 3310, days: 1 },
    { carrier: "USPS", service: "Priority", cents: 690, days: 2 },
    { carrier: "USPS", service: "GroundAdvantage", cents: 593, days: 3 },
    { carrier: "UPS", service: "Ground", cents: 1120, days: 4 },
    { carrier: "FedEx", service: "FEDEX_GROUND", cents: 1090, days: 4 },
  ];
  const own = { surcharge_cents: 0, accepts_key: key, balance: true };
  let numbered = 0;

  const tracker = (tracking_code: string, carrier: string, shipment_id: string | null): Tracker => {
    const made = { id: `trk_${hex()}`, tracking_code, carrier, shipment_id, details: [], status: "unknown" };
    trackers.set(tracking_code, made);
    return made;
  };

  const shownTracker = (one: Tracker) => ({
    id: one.id,
    object: "Tracker",
    mode: "production",
    tracking_code: one.tracking_code,
    status: one.status,
    status_detail: "status_update",
    shipment_id: one.shipment_id,
    carrier: one.carrier,
    tracking_details: one.details.map(({ city, state, ...detail }) => ({
      object: "TrackingDetail",
      ...detail,
      description: "",
      status_detail: "status_update",
      source: one.carrier,
      tracking_location: { object: "TrackingLocation", city, state, country: null, zip: null },
    })),
    public_url: `https://track.example/${one.tracking_code}`,
  });

  const shownRate = ({ id, carrier, service, cents, days }: Shipment["rates"][number], shipment_id: string) => ({
    id,
    object: "Rate",
    mode: "production",
    carrier,
    service,
    rate: dollars(cents),
    currency: "USD",
    list_rate: dollars(cents),
    delivery_days: days,
    shipment_id,
  });

  const shown = (one: Shipment) => {
    const chosen = one.bought && one.rates.find(({ id }) => id === one.bought!.rate_id)!;
    const format = LABELS[(one.options["label_format"] ?? "PNG") as keyof typeof LABELS];
    return {
      id: one.id,
      object: "Shipment",
      mode: "production",
      reference: one.reference,
      status: one.bought?.tracker.status ?? "unknown",
      tracking_code: one.bought?.tracker.tracking_code ?? null,
      options: { ...one.options, currency: "USD" },
      messages: [],
      to_address: one.to_address,
      from_address: one.from_address,
      parcel: { object: "Parcel", ...one.parcel },
      rates: one.rates.map((rate) => shownRate(rate, one.id)),
      selected_rate: chosen && shownRate(chosen, one.id),
      refund_status: one.refund_status,
      tracker: one.bought && shownTracker(one.bought.tracker),
      postage_label: one.bought && {
        object: "PostageLabel",
        label_size: "4x6",
        label_file_type: format.type,
        label_url: `${base_url}/files/postage_label/${one.id}.${format.ending}`,
        label_pdf_url: null,
        label_zpl_url: null,
      },
      fees:
        chosen === null
          ? []
          : [
              { object: "Fee", type: "LabelFee", amount: "0.00000", charged: true, refunded: false },
              {
                object: "Fee",
                type: "PostageFee",
                amount: `${dollars(chosen.cents)}000`,
                charged: true,
                refunded: false,
              },
              ...(one.bought!.surcharge_cents === 0
                ? []
                : [
                    {
                      object: "Fee",
                      type: "CarrierSurchargeFee",
                      amount: `${dollars(one.bought!.surcharge_cents)}000`,
                      charged: true,
                      refunded: false,
                    },
                  ]),
            ],
    };
  };

  const routes: Record<string, (ids: string[], body: Fields, query: URLSearchParams) => Answer> = {
    "POST /v2/addresses": (_, body) => {
      const address = fieldsIn(body, "address");
      if (address === undefined) return required("address");
      if (body["verify"] === undefined) return [201, { id: `adr_${hex()}`, ...address, verifications: {} }];
      const known = addresses.get(String(address["street1"]));
      const failed = known !== undefined && "code" in known;
      // A missing unit is a success with an error: the building exists.
      const success = !failed || known.code.startsWith("E.SECONDARY_INFORMATION");
      const errors = failed ? [{ ...known, field: "address", suggestion: null }] : [];
      const found = success
        ? upper({ ...address, ...(known !== undefined && "corrected" in known && known.corrected) })
        : address;
      const verified = { success, errors, details: {} };
      return [
        201,
        {
          id: `adr_${hex()}`,
          object: "Address",
          mode: "production",
          ...found,
          verifications: { zip4: verified, delivery: verified },
        },
      ];
    },
    "POST /v2/shipments": (_, body) => {
      const asked = fieldsIn(body, "shipment");
      if (asked === undefined) return required("shipment");
      const [to_address, from_address, parcel] = [
        fieldsIn(asked, "to_address"),
        fieldsIn(asked, "from_address"),
        fieldsIn(asked, "parcel"),
      ];
      for (const address of [to_address, from_address]) {
        const lacks = ["street1", "city", "state", "zip", "country"].find((name) => !address?.[name]);
        if (lacks !== undefined) return refused(422, "SHIPMENT.INVALID_PARAMS", lacks);
      }
      const sizes = ["length", "width", "height", "weight"].map((name) => parcel?.[name]);
      if (!sizes.every((size) => typeof size === "number" && size > 0))
        return refused(422, "PARCEL.PARAMETERS.INVALID", "parcel");
      const options = fieldsIn(asked, "options") ?? {};
      if (!(String(options["label_format"] ?? "PNG") in LABELS)) return refused(422, "SHIPMENT.POSTAGE.INVALID_FORMAT");
      const id = `shp_${hex()}`;
      const made: Shipment = {
        id,
        reference: (asked["reference"] as string | undefined) ?? null,
        to_address: to_address!,
        from_address: from_address!,
        parcel: parcel!,
        options,
        rates: rates.map((rate) => ({ ...rate, id: `rate_${hex()}` })),
        bought: null,
        refund_status: null,
      };
      shipments.set(id, made);
      return [201, shown(made)];
    },
    "GET /v2/shipments/:id": ([id]) => withShipment(id, (one) => [200, shown(one)]),
    "POST /v2/shipments/:id/buy": ([id], body) =>
      withShipment(id, (one) => {
        if (one.bought !== null) return refused(422, "SHIPMENT.POSTAGE.EXISTS");
        const rate_id = fieldsIn(body, "rate")?.["id"];
        const rate = one.rates.find((known) => known.id === rate_id);
        if (rate === undefined) return refused(422, "SHIPMENT.MISSING_RATE");
        if (!own.balance) return refused(402, "PAYMENT_REQUIRED");
        numbered += 1;
        const body_no = `94001${String(numbered).padStart(16, "0")}`;
        const code = rate.carrier === "USPS" ? `${body_no}${uspsCheck(body_no)}` : `TEST${numbered}`;
        const made = tracker(code, rate.carrier, one.id);
        one.bought = { rate_id: rate.id, tracker: made, surcharge_cents: own.surcharge_cents };
        return [200, shown(one)];
      }),
    "POST /v2/shipments/:id/refund": ([id]) =>
      withShipment(id, (one) => {
        if (one.bought === null || one.bought.tracker.status === "delivered")
          return refused(422, "SHIPMENT.REFUND.UNAVAILABLE");
        if (one.refund_status !== null) return refused(422, "SHIPMENT.REFUND.UNAVAILABLE");
        one.refund_status = "submitted";
        return [200, shown(one)];
      }),
    "POST /v2/trackers": (_, body) => {
      const { tracking_code, carrier } = fieldsIn(body, "tracker") ?? {};
      if (typeof tracking_code !== "string") return required("tracking_code");
      const known = trackers.get(tracking_code) ?? tracker(tracking_code, String(carrier ?? "USPS"), null);
      return [200, shownTracker(known)];
    },
    "GET /v2/trackers": (_, __, query) => {
      const code = query.get("tracking_code");
      const found = [...trackers.values()].filter(({ tracking_code }) => code === null || tracking_code === code);
      return [200, { trackers: found.map(shownTracker), has_more: false }];
    },
    "GET /v2/trackers/:id": ([id]) => {
      const found = [...trackers.values()].find((one) => one.id === id);
      return found === undefined ? refused(404, "TRACKER.NOT_FOUND") : [200, shownTracker(found)];
    },
  };

  function withShipment(id: string | undefined, act: (shipment: Shipment) => Answer): Answer {
    const found = shipments.get(id ?? "");
    return found === undefined ? refused(404, "NOT_FOUND") : act(found);
  }

  async function handle(request: IncomingMessage, response: ServerResponse, sent: Buffer): Promise<void> {
    const url = new URL(request.url!, base_url);
    if (url.pathname.startsWith("/files/")) {
      // The file store is another company's: a client that sends its key there gives it away.
      if (request.headers.authorization !== undefined) return answer(response, 400, { error: { code: "KEY_LEAKED" } });
      calls.push("GET /files");
      if (await happens("GET /files", request, response)) return;
      const label = Object.values(LABELS).find(({ ending }) => url.pathname.endsWith(`.${ending}`))!;
      response.writeHead(200, { "content-type": label.type }).end(label.bytes);
      return;
    }
    const parts = url.pathname.split("/");
    const ids = parts.filter((part) => /^(shp|trk)_/.test(part));
    const route = `${request.method} ${parts.map((part) => (ids.includes(part) ? ":id" : part)).join("/")}`;
    calls.push(route);
    if (request.headers.authorization !== `Basic ${Buffer.from(`${own.accepts_key}:`).toString("base64")}`) {
      return answer(response, ...refused(401, "UNAUTHORIZED"));
    }
    const act = routes[route];
    if (act === undefined) return answer(response, ...refused(404, "NOT_FOUND"));
    let body: Fields = {};
    if (request.method === "POST" && sent.length > 0) {
      if (!request.headers["content-type"]?.startsWith("application/json"))
        return answer(response, ...refused(406, "NOT_ACCEPTABLE"));
      try {
        body = JSON.parse(sent.toString("utf8")) as Fields;
      } catch {
        return answer(response, ...refused(400, "BAD_REQUEST"));
      }
    }
    const planned = faults.findIndex((one) => one.route === route);
    if (planned >= 0 && faults[planned]!.fault === "lose_answer") {
      faults.splice(planned, 1);
      act(ids, body, url.searchParams);
      request.socket.destroy();
      return;
    }
    if (await happens(route, request, response)) return;
    answer(response, ...act(ids, body, url.searchParams));
  }

  async function happens(route: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const planned = faults.findIndex((one) => one.route === route);
    if (planned < 0) return false;
    const { fault } = faults.splice(planned, 1)[0]!;
    if (fault instanceof Promise) {
      await fault;
      return false;
    }
    if (fault === "garbage") response.writeHead(200, { "content-type": "application/json" }).end("<html>");
    else if (typeof fault === "number") answer(response, ...refused(fault, "INTERNAL_SERVER_ERROR"));
    else request.socket.destroy();
    return true;
  }

  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void handle(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const sign = (body: string) =>
    `hmac-sha256-hex=${createHmac("sha256", webhook_secret.normalize("NFKD")).update(body).digest("hex")}`;
  return {
    base_url,
    key,
    webhook_secret,
    calls,
    shipments,
    trackers,
    addresses,
    rates,
    /** `surcharge_cents` of the next labels; the key that is accepted now; whether the account has money. */
    own,
    /** The next call of the route goes wrong, such as `POST /v2/shipments/:id/buy`. */
    fail: (route: string, fault: EasyPostFault, times = 1) => {
      for (let count = 0; count < times; count++) faults.push({ route, fault });
    },
    bought: () => [...shipments.values()].filter(({ bought }) => bought !== null),
    /** The carrier scans the parcel. */
    scan(tracking_code: string, status: string, at: Date, message = "Scanned.") {
      const found = trackers.get(tracking_code)!;
      found.details.push({ status, message, datetime: at.toISOString(), city: "RENO", state: "NV" });
      found.status = status;
    },
    /** The event that EasyPost sends about a parcel as it is now, and its signature. */
    event(tracking_code: string, description = "tracker.updated") {
      const found = trackers.get(tracking_code) ?? { ...EMPTY, id: `trk_${hex()}`, tracking_code };
      const body = JSON.stringify({
        id: `evt_${hex()}`,
        object: "Event",
        mode: "production",
        description,
        previous_attributes: { status: "unknown" },
        result: shownTracker(found),
      });
      return { body, headers: { "content-type": "application/json", "x-hmac-signature": sign(body) } };
    },
    /** The event that EasyPost sends when a carrier corrects the price of a label. */
    invoice(tracking_code: string, given: { id: string; amount: string; reason: string; description?: string }) {
      const { id, amount, reason, description = "shipment.invoice.created" } = given;
      const body = JSON.stringify({
        id: `evt_${hex()}`,
        object: "Event",
        mode: "production",
        description,
        result: {
          ...{ id, object: "ShipmentInvoice", status: "processed", invoice_type: "adjustment", tracking_code },
          ...{ adjustment_amount: amount, adjustment_reason: reason, invoice_currency: "USD" },
        },
      });
      return { body, headers: { "content-type": "application/json", "x-hmac-signature": sign(body) } };
    },
    sign,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type EasyPostStandIn = Awaited<ReturnType<typeof startEasyPost>>;

const EMPTY: Omit<Tracker, "id" | "tracking_code"> = {
  carrier: "USPS",
  shipment_id: null,
  details: [],
  status: "unknown",
};
const hex = () => randomUUID().replaceAll("-", "");
const dollars = (cents: number) => (cents / 100).toFixed(2);
const upper = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value.toUpperCase() : value]),
  );
const fieldsIn = (body: Fields, name: string): Fields | undefined =>
  typeof body[name] === "object" && body[name] !== null ? (body[name] as Fields) : undefined;
const refused = (status: number, code: string, field?: string): Answer => [
  status,
  { error: { code, message: "Refused.", errors: field === undefined ? [] : [{ field, message: "is invalid" }] } },
];
const required = (field: string): Answer => [
  422,
  {
    error: {
      code: "PARAMETER.REQUIRED",
      message: "Missing required parameter.",
      errors: [{ field, message: "cannot be blank" }],
    },
  },
];
function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "x-request-id": hex() }).end(JSON.stringify(body));
}
