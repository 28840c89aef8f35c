import { actionsOfReviews, auditActions } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newMessage, openIntake } from "../../support/intake.ts";
import { newOrder, placed, prescribed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { signedIn, type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
let technician: WebPerson;
let pharmacist: WebPerson;
let lead: WebPerson;
let admin: WebPerson;
beforeAll(async () => {
  app = await startTestApp();
  [technician, pharmacist, lead, admin] = [
    await webPerson(app, "technician"),
    await webPerson(app, "pharmacist"),
    await webPerson(app, "lead"),
    await webPerson(app, "admin"),
  ];
});
afterAll(() => app.stop());

const account_id = () => app.demo.partners[0]!.account_id;
const audited = async (action: keyof typeof auditActions) =>
  (await app.deps.db.raw("select account_id, subject, person_id, role from audit_entry where action = $1", [action]))
    .rows;

describe("reviews", () => {
  const reviews = async (query = "") => (await technician.get(`/dashboard/reviews${query}`)).body.reviews;

  test("a pharmacist accepts a prescription with warnings, once", async () => {
    // Controlled, and without evidence of a signature.
    await newOrder(app, { prescription: prescribed("zolpidem-5", 30, { signature_evidence: false }) });
    const [entry] = (await reviews()).filter(({ kind }: { kind: string }) => kind === "prescription_acceptance");
    expect(entry).toMatchObject({ closed_by: "verdict", partner: "Willow Telehealth", environment: "sandbox" });
    expect(entry.reasons[0].sentence).toMatch(/signature/);
    const path = `/dashboard/reviews/${entry.account_id}/${entry.review_id}`;
    const page = await pharmacist.get(path);
    expect(page.body).toMatchObject({
      can_close: true,
      has_message: true,
      prescription: { id: entry.prescription_id, acceptance: "pending" },
    });
    expect((await technician.get(path)).body.can_close).toBe(false);
    expect((await technician.send("POST", `${path}/verdict`, { verdict: "accepted" })).status).toBe(404);
    expect((await pharmacist.send("POST", `${path}/resolve`, { action: "answer", note: "x" })).status).toBe(422);
    const accepted = await pharmacist.send("POST", `${path}/verdict`, { verdict: "accepted", note: "Called." });
    expect(accepted.body).toMatchObject({ closed: true, prescription_id: entry.prescription_id });
    expect((await pharmacist.send("POST", `${path}/verdict`, { verdict: "rejected" })).status).toBe(422);
    expect(await reviews()).not.toContainEqual(expect.objectContaining({ review_id: entry.review_id }));
    expect(await reviews("?all=true")).toContainEqual(
      expect.objectContaining({
        review_id: entry.review_id,
        resolved_by: "A pharmacist",
        outcome: "accepted: Called.",
      }),
    );
    expect(await audited("review_closed")).toMatchObject([{ subject: `review ${entry.review_id}` }]);
  });

  test("two possible duplicates are compared masked and revealed on request, and the audit log records it", async () => {
    const who = {
      ids: [],
      first_name: "Ottoline",
      last_name: "Merriweather",
      dob: "1948-07-19",
      phone: null,
      email: null,
    };
    const place = {
      street1: "1 First St",
      street2: null,
      city: "San Francisco",
      state: "CA",
      zip: "94110",
      country: "US",
    };
    await newOrder(app, { patient: { ...who, address: place } });
    const elsewhere = { ...place, street1: "99 Last St", city: "Los Angeles", zip: "90012" };
    await newOrder(app, { patient: { ...who, address: elsewhere } });
    const [entry] = (await reviews()).filter(({ kind }: { kind: string }) => kind === "patient_match");
    expect(entry).toBeDefined();
    const path = `/dashboard/reviews/${entry.account_id}/${entry.review_id}`;
    const page = await technician.get(path);
    expect(page.body.patients.map(({ initials }: { initials: string }) => initials)).toEqual(["OM", "OM"]);
    expect(page.text).not.toMatch(/Merriweather/);
    expect((await technician.send("POST", `${path}/reveal`)).status).toBe(404);
    const shown = await pharmacist.send("POST", `${path}/reveal`);
    const streets = shown.body.patients.map(
      ({ addresses }: { addresses: { street1: string }[] }) => addresses[0]!.street1,
    );
    expect(streets).toEqual(["99 Last St", "1 First St"]);
    expect(await audited("review_revealed")).toMatchObject([{ person_id: pharmacist.person_id, role: "pharmacist" }]);
    expect(page.body.actions).toEqual([]);
    expect((await pharmacist.get(path)).body.actions).toEqual(actionsOfReviews.patient_match);
    const solve = (body: object) => pharmacist.send("POST", `${path}/resolve`, body);
    expect((await solve({ action: "make_order", method_id: 1 })).status).toBe(422);
    expect((await solve({ action: "accept" })).status).toBe(422);
    expect((await solve({ action: "same_person" })).status).toBe(422);
    expect((await solve({ action: "different_people" })).body).toEqual({ closed: true });
    const again = await solve({ action: "different_people" });
    expect([again.status, again.body.error.message]).toEqual([422, "This review is already closed."]);
  });

  test("an operator reads a message that several accounts could receive as it arrived, and routes it", async () => {
    const juniper = app.demo.partners[1]!;
    await app.deps.db.raw("update account set ncpdp_id = $1 where account_id = any($2)", [
      app.demo.partners[0]!.ncpdp_id,
      [account_id(), juniper.account_id],
    ]);
    const intake = await openIntake(app);
    const sent = newMessage({
      envelope: { message_id: "K-1", prescriber_order_number: "K-1" },
      patient: { ids: [], last_name: "Thistlewood" },
    });
    await intake.send(sent);
    const [entry] = (await reviews()).filter(({ kind }: { kind: string }) => kind === "unrouted_message");
    expect(entry).toMatchObject({ closed_by: "route", partner: null });
    expect(entry.receivers.map(({ partner }: { partner: string }) => partner).sort()).toEqual([
      "Juniper Care",
      "Willow Telehealth",
    ]);
    const path = `/dashboard/reviews/${entry.account_id}/${entry.review_id}`;
    expect((await technician.get(`${path}/message`)).status).toBe(404);
    const message = await pharmacist.get(`${path}/message`);
    expect(message.body).toMatchObject({ format: "script", text: sent.toString("utf8") });
    expect(await audited("message_viewed")).toMatchObject([
      { person_id: pharmacist.person_id, subject: `message ${message.body.intake_message_id}` },
    ]);
    expect((await pharmacist.send("POST", `${path}/route`, { to_account_id: "nobody" })).status).toBe(422);
    const routed = await pharmacist.send("POST", `${path}/route`, { to_account_id: juniper.account_id });
    expect(routed.body).toMatchObject({ closed: true, prescription_id: expect.any(Number) });
    await app.deps.db.raw("update account set ncpdp_id = $1 where account_id = $2", [
      juniper.ncpdp_id,
      juniper.account_id,
    ]);
  });

  test("an unknown entry, or another account's, is 404", async () => {
    for (const path of [`/dashboard/reviews/${account_id()}/999999`, "/dashboard/reviews/nobody/1"]) {
      expect((await pharmacist.get(path)).status).toBe(404);
      expect((await pharmacist.get(`${path}/message`)).status).toBe(404);
      expect((await pharmacist.send("POST", `${path}/resolve`, { action: "answer", note: "x" })).status).toBe(404);
    }
  });
});

describe("partners and credentials", () => {
  test("an account is created with its rules, and a secret is shown once", async () => {
    const given = { name: "Larch Clinic", environment: "sandbox", workflow: "api_driven", ncpdp_id: "9900041" };
    expect((await lead.send("POST", "/dashboard/partners", given)).status).toBe(404);
    const made = await admin.send("POST", "/dashboard/partners", given);
    expect([made.status, made.body.name, made.body.credentials]).toEqual([201, "Larch Clinic", 0]);
    expect((await admin.send("POST", "/dashboard/partners", given)).status).toBe(422);
    expect((await admin.send("POST", "/dashboard/partners", { ...given, ncpdp_id: "1" })).status).toBe(422);
    const path = `/dashboard/partners/${made.body.account_id}`;
    const rule = { kind: "sender", value: "TULE" };
    const ruled = await admin.send("POST", `${path}/routing_rules`, rule);
    expect(ruled.body.routing_rules).toEqual([rule]);
    expect((await admin.send("POST", `${path}/routing_rules`, rule)).status).toBe(422);
    expect((await admin.send("POST", `${path}/routing_rules`, { ...rule, remove: true })).body.routing_rules).toEqual(
      [],
    );

    const credential = await admin.send("POST", `${path}/credentials`, { name: "server" });
    const { client_id, client_secret } = credential.body;
    expect(client_secret).toMatch(/^[\w-]{43}$/);
    const token = async (secret: string) => {
      const body = new URLSearchParams({
        grant_type: "client_credentials",
        scope: "partners",
        client_id,
        client_secret: secret,
      });
      return (await fetch(`${app.addresses.sandbox_auth_url}/oauth/token`, { method: "POST", body })).status;
    };
    expect(await token(client_secret)).toBe(200);
    const rotated = await admin.send("POST", `/dashboard/credentials/${client_id}/rotate`);
    expect((await admin.send("POST", `/dashboard/credentials/${client_id}/rotate`)).status).toBe(422);
    expect([await token(client_secret), await token(rotated.body.client_secret)]).toEqual([200, 200]);
    const finished = await admin.send("POST", `/dashboard/credentials/${client_id}/finish`);
    expect(finished.body.credential.secrets.map(({ secret_id }: { secret_id: number }) => secret_id)).toEqual([2]);
    expect(await token(client_secret)).toBe(401);
    const listed = await lead.get(`${path}/credentials`);
    expect(listed.text).not.toMatch(/secret"|digest/);
    expect((await technician.get(`${path}/credentials`)).status).toBe(404);
    const revoked = await admin.send("POST", `/dashboard/credentials/${client_id}/revoke`);
    expect(revoked.body.credential.revoked_at).not.toBeNull();
    expect(await token(rotated.body.client_secret)).toBe(401);
    expect((await admin.send("POST", "/dashboard/credentials/nobody/revoke")).status).toBe(422);
    for (const action of ["partner_created", "routing_changed", "credential_created", "credential_revoked"] as const) {
      expect([action, (await audited(action))[0]?.["person_id"]]).toEqual([action, admin.person_id]);
    }
  });
});

describe("users", () => {
  test("a new user gets a password that is shown once, and loses access immediately when disabled", async () => {
    const given = { email: "tam@larkspur.example", name: "Tam", role: "technician" };
    expect((await lead.send("POST", "/dashboard/people", given)).status).toBe(404);
    const made = await admin.send("POST", "/dashboard/people", given);
    expect(made.status).toBe(201);
    const { person, password } = made.body;
    const tam = await signedIn(app, { email: given.email, password });
    expect((await tam.get("/dashboard/home")).status).toBe(200);
    expect((await admin.send("POST", "/dashboard/people", given)).status).toBe(422);
    expect(
      (await admin.send("POST", "/dashboard/people", { ...given, email: "x@y.example", role: "partner_admin" })).status,
    ).toBe(422);
    const unknown = { ...given, email: "x@y.example", role: "partner_admin", partner_id: "000000000000" };
    expect((await admin.send("POST", "/dashboard/people", unknown)).status).toBe(422);

    const path = `/dashboard/people/${person.person_id}`;
    const reset = await admin.send("POST", `${path}/password`);
    expect((await tam.get("/dashboard/home")).status).toBe(401);
    const again = await signedIn(app, { email: given.email, password: reset.body.password });
    const disabled = await admin.send("POST", `${path}/disable`);
    expect(disabled.body.person.disabled_at).not.toBeNull();
    expect((await again.get("/dashboard/home")).status).toBe(401);
    await expect(signedIn(app, { email: given.email, password: reset.body.password })).rejects.toThrow(/401/);
    expect((await admin.send("POST", `${path}/enable`)).body.person.disabled_at).toBeNull();
    expect((await admin.send("POST", `${path}/second_factor`)).body.person.second_factor).toBe(false);
    expect((await admin.send("POST", `/dashboard/people/${admin.person_id}/disable`)).status).toBe(422);
    expect((await admin.send("POST", "/dashboard/people/000000000000/disable")).status).toBe(404);
    const listed = await admin.get("/dashboard/people");
    expect(listed.text).not.toMatch(/hash|scrypt|totp/);
    expect(listed.body.people).toContainEqual(expect.objectContaining({ person_id: person.person_id, name: "Tam" }));
    for (const action of ["person_created", "password_reset", "person_disabled", "person_enabled"] as const) {
      expect([action, await audited(action)]).toMatchObject([action, [{ subject: `person ${person.person_id}` }]]);
    }
  });
});

describe("a license", () => {
  const license = { license_number: "RPH 55-201", license_state: "CA", license_expires_on: "2198-06-30" };

  test("is set by an admin, validated, and takes effect on the next request", async () => {
    const given = { email: "pia@larkspur.example", name: "Pia", role: "pharmacist" };
    const bad = [
      { license_number: "RPH 55-201" },
      { ...license, license_state: "XX" },
      { ...license, license_expires_on: "2027-02-30" },
      { ...license, license_expires_on: "31 May 2027" },
      { ...license, license_number: "x".repeat(41) },
      { ...license, license_number: "<b>" },
      { ...license, npi: "1234567890" },
      { npi: "123" },
    ];
    for (const wrong of bad) {
      expect((await admin.send("POST", "/dashboard/people", { ...given, ...wrong })).status).toBe(422);
    }
    const { person, password } = (await admin.send("POST", "/dashboard/people", given)).body;
    expect(person).toMatchObject({ license_number: null, license_state: null, license_expires_on: null, npi: null });
    const path = `/dashboard/people/${person.person_id}/license`;
    for (const wrong of bad) expect((await admin.send("POST", path, wrong)).status).toBe(422);
    expect((await lead.send("POST", path, license)).status).toBe(404);
    const pia = await signedIn(app, { email: given.email, password });
    const { body } = await newOrder(app, {});
    const { order_number } = await placed(app, body);
    const at = `/dashboard/orders/${account_id()}/${order_number}/work`;
    const refused = await pia.send("POST", at, { event: "approve_review" });
    expect([refused.status, refused.body.error.key]).toEqual([409, "license_needed"]);
    const set = await admin.send("POST", path, { ...license, license_state: "ca", npi: "1234567893" });
    expect(set.body.person).toMatchObject({ ...license, npi: "1234567893" });
    expect((await pia.send("POST", at, { event: "approve_review" })).status).toBe(200);
    const removed = await admin.send("POST", path, {});
    expect(removed.body.person).toMatchObject({ license_number: null, npi: null });
    expect(await audited("license_changed")).toMatchObject([
      { subject: `person ${person.person_id}` },
      { subject: `person ${person.person_id}` },
    ]);
    expect((await admin.send("POST", "/dashboard/people/000000000000/license", license)).status).toBe(404);
  });

  test("a role changes at once, for another person only, and staff stay staff", async () => {
    const made = await webPerson(app, "technician");
    const role = (by: WebPerson, person_id: string, given: unknown) =>
      by.send("POST", `/dashboard/people/${person_id}/role`, { role: given });
    expect((await role(lead, made.person_id, "lead")).status).toBe(404);
    const { status, body } = await role(admin, made.person_id, "pharmacist");
    expect([status, body.person.role, body.person.license_number]).toEqual([200, "pharmacist", null]);
    expect((await made.get("/dashboard/home")).status).toBe(401);
    expect(await audited("role_changed")).toMatchObject([
      { subject: `person ${made.person_id}`, person_id: admin.person_id },
    ]);
    expect((await role(admin, admin.person_id, "lead")).body.error.message).toBe(
      "You cannot change your own role. Ask another admin.",
    );
    expect((await role(admin, made.person_id, "partner_admin")).body.error.message).toMatch(/^Staff cannot become/);
    expect((await role(admin, made.person_id, "owner")).status).toBe(422);
    expect((await role(admin, "000000000000", "lead")).status).toBe(404);
  });

  test("does not exist for a partner's user", async () => {
    const { partner_id } = (await admin.get("/dashboard/partners")).body.partners.find(
      (one: { partner_id: string | null }) => one.partner_id !== null,
    );
    const user = { email: "lic@willow.example", name: "Lic", role: "partner_viewer", partner_id };
    expect((await admin.send("POST", "/dashboard/people", { ...user, ...license })).status).toBe(422);
    const { person } = (await admin.send("POST", "/dashboard/people", user)).body;
    expect((await admin.send("POST", `/dashboard/people/${person.person_id}/license`, license)).status).toBe(404);
  });

  test("is needed for a verdict on a prescription; an admin still routes and closes the other entries", async () => {
    await newOrder(app, { prescription: prescribed("zolpidem-5", 30, { signature_evidence: false }) });
    const { body } = await admin.get("/dashboard/reviews");
    const review = body.reviews.find(({ kind }: { kind: string }) => kind === "prescription_acceptance");
    const path = `/dashboard/reviews/${review.account_id}/${review.review_id}`;
    const unlicensed = await webPerson(app, "pharmacist", null, {});
    for (const by of [admin, unlicensed]) {
      expect((await by.get(path)).body.can_close).toBe(false);
      expect((await by.send("POST", `${path}/verdict`, { verdict: "accepted" })).status).toBe(422);
    }
    expect((await pharmacist.get(path)).body.can_close).toBe(true);
    expect((await pharmacist.send("POST", `${path}/verdict`, { verdict: "accepted" })).status).toBe(200);
  });
});

describe("catalogue and stock", () => {
  test("an import is previewed, confirmed and applied; if the difference has changed, it is not applied", async () => {
    const path = `/dashboard/catalogue/${account_id()}`;
    const file = {
      kind: "brands",
      source: "brands.csv",
      text: "id,name,default\n1,Larkspur,true\n2,Larkspur Calm,false\n3,New,false\n",
    };
    expect((await technician.send("POST", `${path}/import`, { ...file, dry_run: true })).status).toBe(404);
    const tried = await lead.send("POST", `${path}/import`, { ...file, dry_run: true });
    expect(tried.body).toMatchObject({ version: null, added: [3], changed: [], retired: [], faults: [] });
    const { added, changed, retired, unchanged } = tried.body;
    const other = await lead.send("POST", `${path}/import`, {
      ...file,
      agreed: { added: [], changed, retired, unchanged },
    });
    expect(other.status).toBe(422);
    const applied = await lead.send("POST", `${path}/import`, {
      ...file,
      agreed: { unchanged, retired, changed, added },
    });
    expect(applied.body.version).toBeGreaterThan(0);
    const shown = (await technician.get(path)).body;
    expect(shown.brands.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3]);
    expect(shown.versions[0]).toMatchObject({ kind: "brands", added: 1 });
    const broken = await lead.send("POST", `${path}/import`, { ...file, text: "id,name\nx,y\n" });
    expect(broken.body.faults.length).toBeGreaterThan(0);
    expect((await technician.get("/dashboard/catalogue/000000000000")).status).toBe(404);
    expect(await audited("catalogue_imported")).toMatchObject([{ subject: "brands", person_id: lead.person_id }]);
  });

  test("a lead chooses the carrier service and the parcel of a shipping method, or takes the choice back", async () => {
    const path = `/dashboard/catalogue/${account_id()}/services`;
    expect((await technician.get(path)).status).toBe(404);
    const now = (await lead.get(path)).body;
    expect(now).toMatchObject({ carrier: "simulated", parcel: { length_in: 9, weight_oz: 8 } });
    const [{ method_id, carrier, service }] = now.services;
    expect(now.services[0]).toMatchObject({ chosen: false, length_in: null });
    const parcel = { length_in: 12, width_in: 9, height_in: 4, weight_oz: 20 };
    const choice = { carrier: " UPS ", service: "2ndDayAir", ...parcel };
    const choose = (by: WebPerson, given: object | null) => by.send("POST", path, { method_id, choice: given });
    expect((await choose(technician, choice)).status).toBe(404);
    const wrong = [
      [{ carrier: "" }, "carrier"],
      [{ service: "Ground; drop" }, "service"],
      [{ width_in: null }, "width_in"],
      [{ height_in: 100 }, "height_in"],
      [{ weight_oz: 0 }, "weight_oz"],
      [{ weight_oz: 1.5 }, "weight_oz"],
    ] as const;
    for (const [change, field] of wrong) {
      const refused = await choose(lead, { ...choice, ...change });
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain(`"${field}"`);
    }
    expect((await lead.send("POST", path, { method_id: 999_999, choice })).status).toBe(422);
    const chosen = await choose(lead, choice);
    expect(chosen.body.services[0]).toEqual({
      ...{ method_id, name: now.services[0].name, chosen: true, carrier: "UPS", service: "2ndDayAir", ...parcel },
    });
    expect((await choose(lead, null)).body.services[0]).toMatchObject({ chosen: false, carrier, service });
    const entry = { subject: String(method_id), person_id: lead.person_id };
    expect(await audited("shipping_service_chosen")).toMatchObject([entry, entry]);
  });

  test("licences belong to an environment", async () => {
    const { licences } = (await technician.get("/dashboard/licences/production")).body;
    expect(licences.length).toBeGreaterThan(10);
    const body = { kind: "brands", source: "x", text: "id\n1\n" };
    expect((await lead.send("POST", "/dashboard/licences/production/import", body)).status).toBe(422);
    expect((await technician.get("/dashboard/licences/moon")).status).toBe(404);
  });

  test("stock is received and counted, and never goes below the reserved units", async () => {
    await placed(app, (await newOrder(app)).body);
    const path = `/dashboard/stock/${account_id()}`;
    const shelf = async () =>
      (await technician.get(path)).body.shelves.find(({ sku }: { sku: string }) => sku === "atorvastatin-20");
    const before = await shelf();
    expect(before).toMatchObject({ ndc: "70999010130", free_units: before.on_hand_units - before.reserved_units });
    const received = await technician.send("POST", `${path}/receive`, {
      sku: "atorvastatin-20",
      units: 90,
      note: "PO 7",
    });
    expect(received.body.on_hand_units).toBe(before.on_hand_units + 90);
    expect((await technician.send("POST", `${path}/count`, { sku: "atorvastatin-20", units: 0 })).status).toBe(422);
    expect((await technician.send("POST", `${path}/receive`, { sku: "atorvastatin-20", units: -1 })).status).toBe(422);
    expect((await technician.send("POST", `${path}/receive`, { sku: "atorvastatin-20", units: 0 })).status).toBe(422);
    expect((await technician.send("POST", `${path}/receive`, { sku: "nothing", units: 1 })).status).toBe(422);
    expect(await audited("stock_received")).toMatchObject([{ subject: "atorvastatin-20" }]);
  });

  test("lots are received, counted and destroyed; a controlled one by a pharmacist with a witness", async () => {
    const path = `/dashboard/stock/${account_id()}`;
    const sku = "zolpidem-5";
    const lots = async () => (await technician.get(`${path}/lots?sku=${sku}`)).body;
    const send = (by: WebPerson, verb: string, body: object) => by.send("POST", `${path}/${verb}`, { sku, ...body });
    const L1 = { lot: "z-1", expires_on: "2199-01-31" };
    const { loose } = await lots();
    expect((await send(technician, "receive", { units: 60, ...L1 })).status).toBe(200);
    const wrong = [
      { ...L1, expires_on: "2199-02-28" },
      { ...L1, expires_on: "soon" },
      { lot: "z-1" },
      { expires_on: "2199-01-31" },
      { lot: "Z 2", expires_on: "2199-01-31" },
      { lot: "Z2", expires_on: "2020-01-31" },
    ];
    for (const one of wrong) expect((await send(technician, "receive", { units: 60, ...one })).status).toBe(422);
    expect(await lots()).toEqual({
      sku,
      lots: [
        {
          ...{ lot: "Z-1", expires_on: "2199-01-31", on_hand_units: 60, filled_units: 0, returned_units: 0 },
          ...{ expired: false, recalled: false },
        },
      ],
      loose,
    });
    // Units of the lot that the ledger did not know are those without a lot, so the product has no difference.
    expect((await send(pharmacist, "count", { units: 90, ...L1 })).status).toBe(200);
    expect(await lots()).toMatchObject({
      lots: [{ on_hand_units: 90 }],
      loose: { on_hand_units: loose.on_hand_units - 30 },
    });
    const destroyed = { units: 20, lot: "Z-1", reason: "expired", note: "DEA Form 41 of May 3" };
    const refusals: [WebPerson, object, RegExp][] = [
      [technician, destroyed, /Only a pharmacist/],
      [pharmacist, destroyed, /witness/],
      [pharmacist, { ...destroyed, witness_id: pharmacist.person_id }, /witness/],
      [pharmacist, { ...destroyed, witness_id: "nobody" }, /witness/],
      [pharmacist, { ...destroyed, witness_id: lead.person_id, note: "gone" }, /Explain/],
      [pharmacist, { ...destroyed, witness_id: lead.person_id, lot: "Z-9" }, /no such lot/],
      [pharmacist, { ...destroyed, witness_id: lead.person_id, units: 91 }, /not that many/],
      [pharmacist, { ...destroyed, witness_id: lead.person_id, returned: true }, /not that many/],
    ];
    for (const [by, body, sentence] of refusals) {
      const refused = await send(by, "destroy", body);
      expect([refused.status, refused.text]).toEqual([422, expect.stringMatching(sentence)]);
    }
    expect((await send(pharmacist, "destroy", { ...destroyed, reason: "why not" })).status).toBe(422);
    expect((await lots()).lots).toMatchObject([{ on_hand_units: 90 }]);
    expect((await send(pharmacist, "destroy", { ...destroyed, witness_id: lead.person_id })).status).toBe(200);
    expect((await lots()).lots).toMatchObject([{ on_hand_units: 70 }]);
    const { rows } = await app.deps.db.raw(
      "select units::float8, lot, reason, person_id, witness_id from stock_entry where kind = 'destroyed'",
    );
    const { person_id } = pharmacist;
    expect(rows).toEqual([{ units: 20, lot: "Z-1", reason: "expired", person_id, witness_id: lead.person_id }]);
    expect(await audited("stock_destroyed")).toMatchObject([{ subject: sku, person_id }]);
    expect((await technician.get(`${path}/lots?sku=unheard-of`)).status).toBe(404);
    expect((await technician.send("POST", `${path}/return`, { order_number: "0000000000" })).status).toBe(422);
  });
});

describe("audit log and health", () => {
  test("leads and admins read the audit log newest first, and it names no patient", async () => {
    expect((await pharmacist.get("/dashboard/audit")).status).toBe(404);
    const { body, text } = await lead.get(`/dashboard/audit?person_id=${pharmacist.person_id}`);
    expect(body.entries.every(({ person_id }: { person_id: string }) => person_id === pharmacist.person_id)).toBe(true);
    const ids = body.entries.map(({ audit_id }: { audit_id: number }) => audit_id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(text).not.toMatch(/Merriweather|Thistlewood/);
    const all = (await lead.get("/dashboard/audit")).body.entries as { action: string }[];
    expect(all.filter(({ action }) => !(action in auditActions))).toEqual([]);
    expect((await lead.get("/dashboard/audit?before=1")).body).toEqual({ entries: [], next: null });
  });

  test("the service reports its health and its queues", async () => {
    const { body } = await technician.get("/dashboard/health");
    expect(body.version).toMatch(/^\d+\.\d+/);
    expect(body.findings.map(({ what }: { what: string }) => what)).toEqual(
      expect.arrayContaining(["disk", "database", "migrations", "keys", "safety tables"]),
    );
    expect(body.lags).toHaveLength(4);
    expect(body.lags.every(({ waiting }: { waiting: number }) => Number.isInteger(waiting))).toBe(true);
  });

  test("every account is listed for selection, with its brands", async () => {
    const { accounts } = (await technician.get("/dashboard/accounts")).body;
    expect(accounts).toContainEqual(
      expect.objectContaining({ account_id: account_id(), partner: "Willow Telehealth", environment: "sandbox" }),
    );
  });
});
