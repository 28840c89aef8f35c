import { expect, test } from "vitest";
import { ALL_ROLES, rolesIn, workerRoles } from "../../../src/domain/operations/process-roles.ts";
import { type ProcessFacts, readinessOf } from "../../../src/domain/operations/readiness.ts";

test.each([
  ["web,api", ["api", "web"]],
  [" token , token ", ["token"]],
  ["api,token,courier,jobs,web", ["api", "token", "courier", "jobs", "web"]],
  ["", undefined],
  ["api,", undefined],
  ["toString", undefined],
  ["API", undefined],
])("the roles in %j are %j", (list, roles) => {
  expect(rolesIn(list)).toEqual(roles);
});

const well: ProcessFacts = {
  started: true,
  stopping: false,
  fresh: true,
  sandbox_up: true,
  safety_fit: true,
  attempts: 256,
  replicas: [],
};

test("a process is ready if its start has finished, it is not stopping, and the database answers", () => {
  expect(readinessOf(["api", "web"], well)).toEqual({
    ready: true,
    roles: { api: { ready: true, problems: [] }, web: { ready: true, problems: [] } },
  });
  for (const fact of [{ started: false }, { stopping: true }, { fresh: false }]) {
    const { ready, roles } = readinessOf(["token"], { ...well, ...fact });
    expect(ready).toBe(false);
    expect(roles.token).toEqual({ ready: false, problems: [expect.any(String)] });
  }
});

test("each role names its own problems, and stays ready", () => {
  const ill = readinessOf(["api", "token", "courier", "jobs", "web"], {
    ...well,
    sandbox_up: false,
    safety_fit: false,
    attempts: 0,
    replicas: ["a replica is out of reach"],
  });
  expect(ill.ready).toBe(true);
  const counts = Object.entries(ill.roles).map(([role, { problems }]) => [role, problems.length]);
  expect(Object.fromEntries(counts)).toEqual({ api: 3, token: 1, courier: 2, jobs: 1, web: 1 });
});

test("the first worker does everything, and the others share the requests", () => {
  expect(workerRoles(ALL_ROLES, 1)).toEqual(ALL_ROLES);
  expect(workerRoles(ALL_ROLES, 2)).toEqual(["api", "token", "web"]);
  expect(workerRoles(["courier"], 2)).toEqual(["courier"]);
});
