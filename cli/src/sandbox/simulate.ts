import { eventTypeNames, exceptionIds, questionExceptionIds, simulatedStatuses } from "@pestle/contract";
import { WrongUsage } from "../errors.ts";
import { readObject, readText } from "../files.ts";
import { facts, type Output } from "../output.ts";
import type { CommandRow } from "../program.ts";
import { fieldsOf, type JsonFields } from "../set-fields.ts";
import { openSandbox, type Sandbox, type SandboxOptions, sandboxOptions } from "./simulate-request.ts";

type PrescriptionOptions = SandboxOptions & {
  patientId?: string;
  drug?: string;
  set?: string[];
  script?: string;
  seed?: string;
};

/** Generates a prescription from a seed. It needs the service's tables, so only the service's own program has it. */
export type FromSeed = (
  sandbox: Sandbox,
  seed: number,
  given: JsonFields,
  env: NodeJS.ProcessEnv | undefined,
) => Promise<JsonFields>;

/** Everything that `POST /simulate` can do, without writing JSON. */
export const simulateCommands = (fromSeed?: FromSeed): readonly CommandRow[] => [
  {
    name: "simulate prescription",
    summary: "simulate an incoming prescription in a sandbox account; missing fields are made up",
    options: [
      ["--patient-id <patient_id>", "an existing patient, or an id for a new one"],
      ["--drug <name>", "a product's name, or part of it"],
      ["--set <field=value...>", "any other field, including patient.… and patient.address.…"],
      ["--script <file>", "send a SCRIPT message (XML) instead of these fields"],
      ...(fromSeed === undefined
        ? []
        : [["--seed <number>", "generate the same prescription for the same number"] as const]),
      ...sandboxOptions,
    ],
    examples: [
      "simulate prescription",
      "simulate prescription --drug zolpidem --set refills_left=0 patient.first_name=Wren",
      'simulate prescription --set patient.address.street1="77 Larch St" --partner "Juniper Care"',
      "simulate prescription --patient-id sim000001 --set patient.allergies='[\"Penicillin\"]'",
      ...(fromSeed === undefined ? [] : ["simulate prescription --seed 42 --json"]),
      "simulate prescription --script new-rx.xml",
    ],
    async run(options: PrescriptionOptions, _argument, env) {
      const simulation = prescriptionOf(options);
      const sandbox = await openSandbox(options, env);
      if (options.seed === undefined || fromSeed === undefined)
        return told(await sandbox.simulate("prescription", simulation));
      const generated = await fromSeed(sandbox, seedOf(options.seed), simulation, env);
      return told(await sandbox.simulate("prescription", generated));
    },
  },
  {
    name: "simulate order",
    summary: "move a sandbox order through every step to a status, or put it on hold",
    argument: ["order_number", "the order"],
    options: [
      ["--to <status>", "the status to reach", { choices: simulatedStatuses }],
      ["--exception <id>", "the exception to raise", { choices: exceptionIds.map(String) }],
      ...sandboxOptions,
    ],
    examples: ["simulate order 7K2M9XQ4TB --to Shipped", "simulate order 7K2M9XQ4TB --exception 77"],
    async run(options: SandboxOptions & { to?: string; exception?: string }, order_number, env) {
      const { to, exception } = options;
      if ((to === undefined) === (exception === undefined)) {
        throw new WrongUsage("Give either --to or --exception.");
      }
      const simulation = to === undefined ? { order_number, exception_id: Number(exception) } : { order_number, to };
      return told(await (await openSandbox(options, env)).simulate("order", simulation));
    },
  },
  {
    name: "simulate message",
    summary: "let the pharmacy write about a sandbox order, or hold it with a question",
    argument: ["order_number", "the order"],
    options: [
      ["--text <text>", "1 to 2,000 characters", { required: true }],
      ["--exception <id>", "ask a question that holds the order", { choices: questionExceptionIds.map(String) }],
      ...sandboxOptions,
    ],
    examples: [
      'simulate message 7K2M9XQ4TB --text "We ship it today."',
      'simulate message 7K2M9XQ4TB --text "Did you mean 90 tablets?" --exception 72',
    ],
    async run(options: SandboxOptions & { text: string; exception?: string }, order_number, env) {
      const { text, exception } = options;
      const question = exception === undefined ? {} : { exception_id: Number(exception) };
      return told(await (await openSandbox(options, env)).simulate("message", { order_number, text, ...question }));
    },
  },
  {
    name: "simulate event",
    summary: "send an event to a sandbox account's webhooks exactly as given",
    argument: ["event_type", "such as RX_RECEIVED", { words: eventTypeNames }],
    options: [["--file <file>", "the event's other fields as a JSON object (`-`: standard input)"], ...sandboxOptions],
    examples: ["simulate event ORDER_UPDATED --file body.json", "simulate event RX_RECEIVED"],
    async run(options: SandboxOptions & { file?: string }, event_type, env) {
      const fields = options.file === undefined ? {} : readObject(options.file);
      return told(await (await openSandbox(options, env)).simulate("event", { ...fields, event_type }));
    },
  },
  {
    name: "simulate clock",
    summary: "advance a sandbox account's clock",
    options: [["--advance <time>", "how far: 30d, 12h, 45m, or seconds", { required: true }], ...sandboxOptions],
    examples: ["simulate clock --advance 30d", 'simulate clock --advance 3600 --partner "Juniper Care"'],
    async run(options: SandboxOptions & { advance: string }, _argument, env) {
      const advance_seconds = secondsOf(options.advance);
      return told(await (await openSandbox(options, env)).simulate("clock", { advance_seconds }));
    },
  },
];

const told = (answer: JsonFields): Output => ({
  data: answer,
  text: facts(Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, String(value)]))),
});

function prescriptionOf({ patientId, drug, set = [], script, seed }: PrescriptionOptions): JsonFields {
  if (script !== undefined) {
    if (patientId !== undefined || drug !== undefined || set.length > 0 || seed !== undefined) {
      throw new WrongUsage("--script contains the whole prescription. Remove the other options.");
    }
    return { script: readText(script) };
  }
  return fieldsOf([
    ...(drug === undefined ? [] : [`drug_name=${drug}`]),
    ...(patientId === undefined ? [] : [`patient.patient_id=${patientId}`]),
    ...set,
  ]);
}

const LARGEST_SEED = 1_000_000;

function seedOf(text: string): number {
  const seed = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (seed < 1 || seed > LARGEST_SEED) throw new WrongUsage(`--seed takes a whole number from 1 to ${LARGEST_SEED}.`);
  return seed;
}

const SECONDS = { d: 86_400, h: 3_600, m: 60, s: 1, "": 1 };

function secondsOf(text: string): number {
  const [, amount, unit] = /^(\d{1,12})([dhms]?)$/.exec(text) ?? [];
  if (amount === undefined) throw new WrongUsage("--advance takes days (30d), hours (12h), minutes (45m) or seconds.");
  return Number(amount) * SECONDS[unit as keyof typeof SECONDS];
}
