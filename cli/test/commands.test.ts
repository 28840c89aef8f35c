import { readFileSync } from "node:fs";
import { eventTypeNames, sampleEvents } from "@pestle/contract";
import { signForTest } from "@pestle/sdk";
import { describe, expect, test } from "vitest";
import { pageAddress, pageNames } from "../src/accounts/open.ts";
import { commandsOf, partnerCommandFiles, partnerGroups, partnerHeadings } from "../src/commands.ts";
import { explain } from "../src/errors.ts";
import { overridden } from "../src/override-fields.ts";
import { type CommandRow, createProgram } from "../src/program.ts";
import { checked, headersIn } from "../src/webhooks/verify.ts";

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const commands = await commandsOf(partnerCommandFiles);
const run = <Data = never>(name: string, options: Record<string, unknown>, argument = "") =>
  (commands.find((command) => command.name === name) as CommandRow).run(options, argument, {}) as Promise<{
    data: Data;
    text: string;
  }>;

describe("the help", () => {
  const help = (words: readonly string[] = []) => {
    const about = {
      command: "npx @pestle/cli",
      ...{ description: "", version: "1", groups: partnerGroups, headings: partnerHeadings, footer: "", explain },
    };
    let command = createProgram(about, commands);
    for (const word of words) command = command.commands.find((one) => one.name() === word)!;
    const lines: string[] = [];
    command.configureOutput({ writeOut: (text) => void lines.push(text) }).outputHelp();
    return lines.join("");
  };

  test("has every command under one heading, and every group has a meaning", () => {
    const words = [...new Set(commands.map(({ name }) => name.split(" ")[0]!))];
    expect(Object.values<readonly string[]>(partnerHeadings).flat().sort()).toEqual(words.sort());
    const grouped = commands.filter(({ name }) => name.includes(" ")).map(({ name }) => name.split(" ")[0]!);
    expect(Object.keys(partnerGroups).sort()).toEqual([...new Set(grouped)].sort());
    for (const heading of Object.keys(partnerHeadings)) expect(help()).toContain(`${heading}:`);
  });

  test("names the commands as this program's user types them", () => {
    for (const { name } of commands) {
      const text = help(name.split(" "));
      expect(text).toContain(`$ npx @pestle/cli ${name.split(" ")[0]}`);
      expect(text).not.toMatch(/(^|[`$ (])pestle [a-z]/m);
    }
  });
});

describe("--set", () => {
  const record = { name: "a", count: 1, list: [{ flag: true, none: null }], nested: { zip: "02134" } };

  test("changes fields at any depth, and keeps the type of each", () => {
    const settings = ["name=7", "count=2", "list[0].flag=false", "list.0.none=[1]", "nested.zip=95814"];
    expect(overridden(record, settings)).toEqual({
      name: "7",
      count: 2,
      list: [{ flag: false, none: [1] }],
      nested: { zip: "95814" },
    });
    expect(record.list[0]).toEqual({ flag: true, none: null });
  });

  test.each([
    ["nam=b", "There is no nam in nam. It has name, count, list, nested."],
    ["list[1].flag=true", "There is no 1 in list[1].flag. It has 0."],
    ["name.first=b", "There is no first in name.first. It has no fields."],
    ["__proto__.polluted=1", "There is no __proto__ in __proto__.polluted."],
    ["name", "--set takes field=value"],
  ])("refuses %s", (setting, message) => {
    expect(() => overridden(record, [setting])).toThrow(message);
  });
});

test("fixtures show prints the body of every event, with changes", async () => {
  for (const event_type of eventTypeNames) {
    const { data, text } = await run<Record<string, unknown>>("fixtures show", {}, event_type.toLowerCase());
    expect(JSON.parse(text)).toEqual(data);
    expect(Object.keys(data)).toEqual([
      ...["event_id", "event_type", "timestamp"],
      ...Object.keys(sampleEvents[event_type](new Date())),
    ]);
  }
  const set = ["medication_requests[0].refills_left=0"];
  const { data } = await run<{ patient_id: string; medication_requests: object[] }>(
    "fixtures show",
    { patient: "ay87nt", set },
    "RX_RECEIVED",
  );
  expect(data).toMatchObject({ patient_id: "ay87nt", medication_requests: [{ refills_left: 0 }] });
  await expect(run("fixtures show", { order: "7K2M9XQ4TB" }, "RX_RECEIVED")).rejects.toThrow("does not apply");
});

describe("verify", () => {
  const url = "http://127.0.0.1:3000/hook";
  const client_secret = "a-client-secret";
  const secrets = {
    url,
    webhook_secret: "mine",
    signing_secret: `whsec_${Buffer.from("a".repeat(24)).toString("base64")}`,
  };
  const now = new Date("2026-11-15T08:30:00Z");
  const event = { event_id: "5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8", event_type: "PATIENT_UPDATED", timestamp: 1 };
  const wrong = async (change: {
    body?: string;
    url?: string;
    secret?: string;
    webhook_secret?: string;
    late_s?: number;
  }) => {
    const sent = await signForTest({ event: event as never, client_secret, now, ...secrets });
    const headers = headersIn(
      Object.entries(sent.headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join(""),
    );
    const { body = sent.rawBody, secret = client_secret, late_s = 0, ...others } = change;
    const checks = await checked(headers, body, secret, { ...secrets, ...others }, now.getTime() / 1000 + late_s);
    return checks.flatMap(({ check, good }) => (good ? [] : [check]));
  };

  test("accepts what the service signs, and names each part that does not match", async () => {
    expect(await wrong({})).toEqual([]);
    expect(await wrong({ late_s: 301 })).toEqual(["webhook-timestamp"]);
    expect(await wrong({ url: `${url}/` })).toEqual(["x-…-signature"]);
    expect(await wrong({ body: "{}" })).toEqual(["webhook-signature", "x-…-signature"]);
    expect(await wrong({ secret: "another" })).toEqual(["x-…-secret", "x-…-signature"]);
    expect(await wrong({ webhook_secret: "another" })).toEqual(["x-…-secret"]);
  });
});

describe("open", () => {
  const portal = [...textOf("web/src/portal/screens.ts").matchAll(/path: "\/\$environment(\/[^"]+)"/g)].map(
    ([, path]) => `/portal/sandbox${path}`,
  );

  test.each(pageNames)("%s is a page that exists", (page) => {
    const address = new URL(pageAddress("http://127.0.0.1:8080", "sandbox", page, undefined)).pathname;
    expect([...portal, "/docs/", "/docs/api", "/dashboard"]).toContain(address);
  });

  test("takes the id of a record where the page has one", () => {
    const withId = pageNames.filter((page) => portal.some((path) => path.startsWith(`/portal/sandbox/${page}/$`)));
    expect(withId.length).toBeGreaterThan(4);
    for (const page of pageNames) {
      const address = () => pageAddress("https://x.example", "production", page, "a/b");
      if (withId.includes(page)) expect(address()).toBe(`https://x.example/portal/production/${page}/a%2Fb`);
      else expect(address).toThrow("An id works with");
    }
    expect(() => pageAddress("", "sandbox", "nowhere", undefined)).toThrow("The page must be one of");
  });
});
