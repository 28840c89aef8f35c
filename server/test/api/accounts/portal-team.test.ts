import type { PortalPerson, PortalTeam } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { OWN_PASSWORD, signedIn, type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
let admin: WebPerson;
let partner_id: string;
beforeAll(async () => {
  app = await startTestApp();
  admin = await signedIn(app, app.demo.partners[0]!.portal);
  const { rows } = await app.deps.db.raw("select partner_id from person where person_id = $1", [admin.person_id]);
  partner_id = String(rows[0]!["partner_id"]);
});
afterAll(() => app.stop());

const P = "/portal/sandbox/team";
const team = async (): Promise<PortalPerson[]> => ((await admin.get(P)).body as PortalTeam).people;
let count = 0;
const invitation = (more: object = {}) => ({
  name: "Rafa Lindgren",
  email: `rafa.${++count}@willow-telehealth.example`,
  role: "partner_viewer",
  ...more,
});

describe("a partner's team", () => {
  test("an invited user signs in with the password that is shown once, and sees what the role allows", async () => {
    const given = invitation();
    const told = await admin.send("POST", P, given);
    expect(told.status, told.text).toBe(201);
    const { person, password } = told.body;
    expect(person).toMatchObject({ ...given, second_factor: false, disabled_at: null, you: false });
    const rafa = await signedIn(app, { email: given.email, password });
    const mine = ((await rafa.get(P)).body as PortalTeam).people.find(({ you }) => you)!;
    expect([mine.person_id, mine.last_signed_in_at === null]).toEqual([person.person_id, false]);
    expect((await rafa.send("POST", P, invitation())).status).toBe(404);
    const { rows } = await app.deps.db.raw("select * from person where person_id = $1", [person.person_id]);
    expect(JSON.stringify([rows, app.lines()])).not.toContain(password);
  });

  test("a user whose role changes must sign in again, and a disabled user cannot", async () => {
    const { person, password } = (await admin.send("POST", P, invitation())).body;
    const rafa = await signedIn(app, { email: person.email, password });
    const changed = await admin.send("PATCH", `${P}/${person.person_id}`, { role: "partner_developer" });
    expect([changed.status, changed.body.role]).toEqual([200, "partner_developer"]);
    expect((await rafa.get(P)).status).toBe(401);
    const again = await signedIn(app, { email: person.email, password: OWN_PASSWORD });
    expect((await again.send("POST", "/portal/sandbox/credentials", { name: "mine" })).status).toBe(201);
    const shut = await admin.send("PATCH", `${P}/${person.person_id}`, { disabled: true });
    expect(shut.body.disabled_at).not.toBeNull();
    expect((await again.get(P)).status).toBe(401);
    await expect(signedIn(app, { email: person.email, password: OWN_PASSWORD })).rejects.toThrow("401");
    expect((await admin.send("POST", `${P}/${person.person_id}/password`)).status).toBe(404);
    await admin.send("PATCH", `${P}/${person.person_id}`, { disabled: false });
    expect((await signedIn(app, { email: person.email, password: OWN_PASSWORD })).person_id).toBe(person.person_id);
  });

  test("a new password replaces a lost one", async () => {
    const { person, password } = (await admin.send("POST", P, invitation())).body;
    const old = await signedIn(app, { email: person.email, password });
    const reset = await admin.send("POST", `${P}/${person.person_id}/password`);
    expect(reset.status).toBe(200);
    expect((await old.get(P)).status).toBe(401);
    await expect(signedIn(app, { email: person.email, password: OWN_PASSWORD })).rejects.toThrow("401");
    await signedIn(app, { email: person.email, password: reset.body.password });
  });

  test("always has an admin who can sign in, even if two admins disable each other at once", async () => {
    expect((await admin.send("PATCH", `${P}/${admin.person_id}`, { role: "partner_viewer" })).status).toBe(422);
    expect((await admin.send("PATCH", `${P}/${admin.person_id}`, { disabled: true })).status).toBe(422);
    const second = await webPerson(app, "partner_admin", partner_id);
    await Promise.all([
      admin.send("PATCH", `${P}/${second.person_id}`, { disabled: true }),
      second.send("PATCH", `${P}/${admin.person_id}`, { disabled: true }),
    ]);
    const { rows } = await app.deps.db.raw(
      "select person_id from person where partner_id = $1 and role = 'partner_admin' and disabled_at is null",
      [partner_id],
    );
    expect(rows).toHaveLength(1);
    await app.deps.db.raw("update person set disabled_at = null where person_id = $1", [admin.person_id]);
    admin = await signedIn(app, app.demo.partners[0]!.portal);
  });

  test("an admin removes a lost second factor", async () => {
    const { person } = (await admin.send("POST", P, invitation())).body;
    const told = await admin.send("PATCH", `${P}/${person.person_id}`, { reset_second_factor: true });
    expect([told.status, told.body.second_factor]).toEqual([200, false]);
    const { rows } = await app.deps.db.raw("select action from audit_entry where subject = $1 order by audit_id", [
      person.person_id,
    ]);
    expect(rows.map(({ action }) => action)).toEqual(["person_created", "second_factor_reset"]);
  });

  test("rejects an invalid invitation: another user's address, an operator's role, no name", async () => {
    const before = (await team()).length;
    const [taken] = await team();
    for (const more of [
      { email: taken!.email.toUpperCase() },
      { email: "nobody" },
      { email: 7 },
      { role: "admin" },
      { role: "technician" },
      { name: "" },
      { name: "two\nlines" },
      { partner_id: "another" },
    ]) {
      expect((await admin.send("POST", P, invitation(more))).status).toBe(422);
    }
    for (const body of [{ role: "admin" }, { disabled: "yes" }, { reset_second_factor: false }, { password: "x" }]) {
      expect((await admin.send("PATCH", `${P}/${admin.person_id}`, body)).status).toBe(422);
    }
    expect(await team()).toHaveLength(before);
  });
});
