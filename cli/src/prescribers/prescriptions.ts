import type { RenewalRequest } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { WrongUsage } from "../errors.ts";
import { facts } from "../output.ts";
import { openPartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";

const PRESCRIPTION = ["prescription_id", "from `RX_RECEIVED` or `pestle simulate prescription`"] as const;
const NO_PRESCRIPTION = "Your account has no such prescription or request.";

export const prescriptionCommands: readonly CommandRow[] = [
  {
    name: "prescriptions renew",
    summary: "ask the prescriber for a renewal of a prescription",
    argument: PRESCRIPTION,
    options: [
      ["--refills <number>", "the refills to ask for (default: as many as the prescription had)"],
      ["--note <text>", "a note to the prescriber, 1 to 210 characters"],
      ...partnerOptions,
    ],
    examples: ["prescriptions renew 183615", 'prescriptions renew 183615 --refills 3 --note "Nine tablets are left."'],
    async run({ refills, note, ...options }: PartnerOptions & { refills?: string; note?: string }, argument, env) {
      if (refills !== undefined && !/^\d{1,2}$/.test(refills)) throw new WrongUsage("--refills takes 0 to 99.");
      const api = await openPartnerApi(options, env);
      const body = { ...(refills !== undefined && { refills: Number(refills) }), ...(note !== undefined && { note }) };
      const request = await api.request<RenewalRequest>("POST", pathOf(argument), { body, missing: NO_PRESCRIPTION });
      return { data: request, text: renewalText(request) };
    },
  },
  {
    name: "prescriptions renewal",
    summary: "show a request for renewal and the prescriber's answer",
    argument: PRESCRIPTION,
    options: [
      ["--request <renewal_request_id>", "from `pestle prescriptions renew`", { required: true }],
      ...partnerOptions,
    ],
    examples: ["prescriptions renewal 183615 --request 019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42"],
    async run({ request: id, ...options }: PartnerOptions & { request: string }, argument, env) {
      const api = await openPartnerApi(options, env);
      const path = `${pathOf(argument)}/${encodeURIComponent(id)}` as const;
      const request = await api.request<RenewalRequest>("GET", path, { missing: NO_PRESCRIPTION });
      return { data: request, text: renewalText(request) };
    },
  },
];

const pathOf = (prescription_id: string) =>
  `/prescriptions/${encodeURIComponent(prescription_id)}/renewal_requests` as const;

const renewalText = ({ renewal_request_id, status, response, note, new_prescription_id }: RenewalRequest): string => {
  const known = Object.entries({ renewal_request_id, status, response, note, new_prescription_id });
  return facts(Object.fromEntries(known.flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]))));
};
