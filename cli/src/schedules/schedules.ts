import { consentMethods, type RefillSchedule, scheduleActionNames, scheduleStatuses } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { wholeNumber } from "../arguments.ts";
import { WrongUsage } from "../errors.ts";
import { readObject } from "../files.ts";
import { pageOf } from "../output.ts";
import { openPartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";

const SCHEDULE = ["schedule_id", "from `pestle schedules list`"] as const;
const NO_SCHEDULE = "The account has no such refill schedule. Run `pestle schedules list` to see its schedules.";
const path = (schedule_id: string) => `/refill_schedules/${encodeURIComponent(schedule_id)}` as const;
const LONGEST_PAGE = 200;
const MOST_SHOWN = 10_000;

type ListOptions = PartnerOptions & { patient?: string; status?: string };
type CreateOptions = PartnerOptions & {
  patient?: string;
  rx?: string;
  method?: string;
  everyDays?: string;
  leadDays?: string;
  consentAt?: string;
  consentMethod?: string;
};

/** The partner's view, over the API. */
export const scheduleCommands: readonly CommandRow[] = [
  {
    name: "schedules list",
    lists: "schedules",
    summary: "list an account's refill schedules, newest first",
    options: [
      ["--patient <patient_id>", "only this patient"],
      ["--status <status>", "only with this status", { choices: scheduleStatuses }],
      ...partnerOptions,
    ],
    examples: ["schedules list", "schedules list --status paused --json"],
    async run({ patient, status, ...options }: ListOptions, _argument, env) {
      const api = await openPartnerApi(options, env);
      const refill_schedules: RefillSchedule[] = [];
      let cursor: string | undefined;
      do {
        const page: { refill_schedules: RefillSchedule[]; next_cursor: string | null } = await api.request(
          "GET",
          "/refill_schedules",
          { query: { patient_id: patient, status, limit: LONGEST_PAGE, cursor } },
        );
        refill_schedules.push(...page.refill_schedules);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined && refill_schedules.length < MOST_SHOWN);
      return {
        data: pageOf(refill_schedules, cursor ?? null),
        text: refill_schedules.length === 0 ? "No refill schedules." : refill_schedules.map(scheduleText).join("\n"),
      };
    },
  },
  {
    name: "schedules show",
    summary: "show a refill schedule and its next fill",
    argument: SCHEDULE,
    options: partnerOptions,
    examples: ["schedules show 019a8c02-51d7-7f0a-8b6e-90c1d2e3f4a5"],
    async run(options: PartnerOptions, schedule_id, env) {
      const api = await openPartnerApi(options, env);
      const schedule = await api.request<RefillSchedule>("GET", path(schedule_id), { missing: NO_SCHEDULE });
      return { data: schedule, text: scheduleText(schedule) };
    },
  },
  {
    name: "schedules create",
    summary: "let the service order the refills of a prescription",
    argument: ["file", "the body of `POST /refill_schedules` as JSON (`-`: standard input)", { optional: true }],
    options: [
      ["--patient <patient_id>", "the patient, when there is no file"],
      ["--rx <prescription_id>", "the prescription to refill"],
      ["--method <method_id>", "the shipping method"],
      ["--every-days <days>", "days between two fills (default: the days' supply)"],
      ["--lead-days <days>", "days between the notice and the fill (default: 7)"],
      ["--consent-at <time>", "when the patient agreed: a time with time zone, or a date"],
      ["--consent-method <method>", "how the patient agreed", { choices: consentMethods }],
      ...partnerOptions,
    ],
    examples: [
      "schedules create --patient ay87nt --rx 183601 --method 1 --consent-at 2026-11-15 --consent-method electronic",
      "schedules create schedule.json --json",
    ],
    async run(options: CreateOptions, file, env) {
      if ((file === "") === (options.patient === undefined)) throw new WrongUsage("Give either a file or --patient.");
      const body = file === "" ? bodyOf(options) : readObject(file);
      const api = await openPartnerApi(options, env);
      const schedule = await api.request<RefillSchedule>("POST", "/refill_schedules", { body });
      return { data: schedule, text: scheduleText(schedule) };
    },
  },
  {
    name: "schedules act",
    summary: "skip the next fill, order it now, or pause, resume or cancel a refill schedule",
    argument: SCHEDULE,
    second_argument: ["action", `one of ${scheduleActionNames.join(", ")}`, { words: scheduleActionNames }],
    options: partnerOptions,
    examples: [
      "schedules act 019a8c02-51d7-7f0a-8b6e-90c1d2e3f4a5 skip",
      "schedules act 019a8c02-51d7-7f0a-8b6e-90c1d2e3f4a5 resume",
    ],
    async run({ action = "", ...options }: PartnerOptions & { action?: string }, schedule_id, env) {
      if (!(scheduleActionNames as readonly string[]).includes(action))
        throw new WrongUsage(`The action must be one of ${scheduleActionNames.join(", ")}.`);
      const api = await openPartnerApi(options, env);
      const acted = { body: {}, missing: NO_SCHEDULE };
      const schedule = await api.request<RefillSchedule>("POST", `${path(schedule_id)}/${action}`, acted);
      return { data: schedule, text: scheduleText(schedule) };
    },
  },
];

function bodyOf(options: CreateOptions) {
  const { patient, rx, method, everyDays, leadDays, consentAt, consentMethod } = options;
  if (rx === undefined || method === undefined || consentAt === undefined || consentMethod === undefined)
    throw new WrongUsage("With --patient, also give --rx, --method, --consent-at and --consent-method.");
  return {
    patient_id: patient,
    prescription_id: wholeNumber(rx, "--rx"),
    shipping: { method_id: wholeNumber(method, "--method") },
    ...(everyDays !== undefined && { every_days: wholeNumber(everyDays, "--every-days") }),
    ...(leadDays !== undefined && { lead_days: wholeNumber(leadDays, "--lead-days") }),
    consent: { given_at: consentAt, method: consentMethod },
  };
}

function scheduleText(schedule: RefillSchedule): string {
  const { schedule_id, status, patient_id, prescription_id, next_fill_on, interval_days } = schedule;
  const next = next_fill_on === null ? "" : `  next fill ${next_fill_on}, every ${interval_days} days`;
  const because =
    schedule.paused_because && `paused because of ${schedule.paused_because.code}: ${schedule.paused_because.message}`;
  const problems = schedule.next_fill_problems.map(
    ({ code, message }) => `the next fill would be refused, ${code}: ${message}`,
  );
  const last = schedule.last_order_number && `last order ${schedule.last_order_number} on ${schedule.last_filled_on}`;
  const lines = [because, ...problems, last].filter((line) => line !== null);
  const first = `${schedule_id}  ${status.padEnd(8)}  ${patient_id}  prescription ${prescription_id}${next}`;
  return [first, ...lines.map((line) => `  ${line}`)].join("\n");
}
