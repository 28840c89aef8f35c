import { expect, test } from "vitest";
import { connectionTo, hostOf, hostUrls, isLocal, sslModeOf } from "../../../src/db/connection.ts";

const none = { mode: "", root_certificate_file: "" };

test.each([
  ["postgresql://u:p@db.example:5432/d", "db.example"],
  ["postgres://db.example/d", "db.example"],
  ["postgresql://u:p%40@[::1]:5432/d", "[::1]"],
  ["postgresql://u@/d?host=/run/postgresql&port=5433", "/run/postgresql"],
  ["postgresql:///d?host=%2Ftmp%2Fsocket", "/tmp/socket"],
  ["postgresql://db.example/d?host=other.example", "other.example"],
])("the host of %s is %s", (url, host) => {
  expect(hostOf(url)).toBe(host);
});

test.each([
  // No word from the operator: a remote server must prove who it is.
  ["postgresql://u@db.example/d", "", "verify-full"],
  ["postgresql://u@10.0.0.7/d", "", "verify-full"],
  ["postgresql://u@localhost.example/d", "", "verify-full"],
  ["postgresql://u@localhost/d", "", "disable"],
  ["postgresql://u@127.0.0.1/d", "", "disable"],
  ["postgresql://u@[::1]/d", "", "disable"],
  ["postgresql:///d", "", "disable"],
  // PGSSLMODE is honored, except where it would let the server decide.
  ["postgresql://u@db.example/d", "prefer", "verify-full"],
  ["postgresql://u@db.example/d", "allow", "verify-full"],
  ["postgresql://u@db.example/d", "require", "require"],
  ["postgresql://u@db.example/d", "disable", "disable"],
  ["postgresql://u@localhost/d", "verify-full", "verify-full"],
  // The URL wins.
  ["postgresql://u@db.example/d?sslmode=verify-ca", "disable", "verify-ca"],
  ["postgresql://u@db.example/d?sslmode=disable", "", "disable"],
])("%s with PGSSLMODE=%s uses %s", (url, mode, used) => {
  expect(sslModeOf(url, { ...none, mode })).toBe(used);
});

test("every mode but disable and no-verify lets the driver verify the certificate", () => {
  const ssl = (mode: string) => connectionTo("postgresql://u@db.example/d?a=1&sslmode=x", { ...none, mode }).ssl;
  expect(connectionTo("postgresql://u@db.example/d?sslmode=require&a=1", none)).toEqual({
    connectionString: "postgresql://u@db.example/d?a=1",
    ssl: {},
  });
  expect(ssl("")).toEqual({});
  expect(connectionTo("postgresql://u@db.example/d", { ...none, mode: "verify-ca" }).ssl).toEqual({
    checkServerIdentity: expect.any(Function),
  });
  expect(connectionTo("postgresql://u@db.example/d", { ...none, mode: "no-verify" }).ssl).toEqual({
    rejectUnauthorized: false,
  });
  expect(connectionTo("postgresql://u@db.example/d?sslmode=disable", none).ssl).toBe(false);
  expect(connectionTo("postgresql://u@localhost/d", none).ssl).toBe(false);
});

test.each([
  ["postgresql://u:a,b@h1/d?x=1", ["postgresql://u:a,b@h1/d?x=1"]],
  ["postgresql://u@h1:1,h2:2,[::1]/d", ["postgresql://u@h1:1/d", "postgresql://u@h2:2/d", "postgresql://u@[::1]/d"]],
  [
    "postgresql://u@/d?host=%2Frun%2Fa,/run/b&port=1,2",
    ["postgresql://u@/d?host=%2Frun%2Fa&port=1", "postgresql://u@/d?host=%2Frun%2Fb&port=2"],
  ],
  [
    "postgresql://u@/d?port=5433&host=h1,h2",
    ["postgresql://u@/d?port=5433&host=h1", "postgresql://u@/d?port=5433&host=h2"],
  ],
])("the hosts of %s are %j", (url, urls) => {
  expect(hostUrls(url)).toEqual(urls);
});

test("of several hosts, the one that accepts writes is used, and each proves who it is", () => {
  expect(connectionTo("postgresql://u@127.0.0.1,db.example/d?target_session_attrs=read-write&a=1", none)).toEqual({
    connectionString: "postgresql://u@127.0.0.1/d?a=1",
    ssl: false,
    others: [{ connectionString: "postgresql://u@db.example/d?a=1", ssl: {} }],
    writable: true,
  });
  expect(connectionTo("postgresql://u@localhost/d?target_session_attrs=primary", none)).toEqual({
    connectionString: "postgresql://u@localhost/d",
    ssl: false,
    writable: true,
  });
  expect(isLocal("postgresql://u@127.0.0.1,localhost/d")).toBe(true);
  expect(isLocal("postgresql://u@127.0.0.1,db.example/d")).toBe(false);
});
