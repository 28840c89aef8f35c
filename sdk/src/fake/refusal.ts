import {
  detailMessage,
  type ErrorCode,
  errorDocUrl,
  type FieldProblem,
  messageOf,
  type StatusErrorCode,
  statusMessages,
  statusOf,
  usualProblems,
} from "@pestle/contract/partner";

/** Where the fake pharmacy claims to be. Nothing listens there: its `fetch` answers. */
export const FAKE_URL = "https://pharmacy.test";

export type Problem = { code: ErrorCode; field: string; problem?: FieldProblem | undefined };

/** Ends a request with an error answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(`The fake pharmacy answers ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** The error entries of an answer: one per code, in code order. */
export function errorEntries(problems: readonly Problem[]) {
  const codes = [...new Set(problems.map(({ code }) => code))].sort((a, b) => a - b);
  return codes.map((code) => ({
    code,
    message: messageOf(code),
    error_detail: problems
      .filter((one) => one.code === code)
      .map(({ field, problem = usualProblems[code] }) => ({
        field,
        message: detailMessage(code, problem),
        ...(problem && { problem }),
      })),
    doc_url: errorDocUrl(FAKE_URL, code),
  }));
}

export function refuseAll(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first !== undefined) throw new Refusal(statusOf(first.code), { errors: errorEntries(problems) });
}

export function refuse(code: ErrorCode, field: string): never {
  throw new Refusal(statusOf(code), { errors: errorEntries([{ code, field }]) });
}

export function refuseWith(status: StatusErrorCode, more: object = {}): never {
  const error = { error_code: status, message: statusMessages[status], ...more };
  throw new Refusal(status, { error: { ...error, doc_url: errorDocUrl(FAKE_URL, status) } });
}
