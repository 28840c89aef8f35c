import { errors, isErrorCode, type PortalErrorHint, statuses } from "@pestle/contract";

/** Explains an error and how to fix it: by code, or by status if it has no code. */
export function errorHint(status: number, code: number | null): PortalErrorHint {
  if (code !== null && isErrorCode(code)) {
    const [title, field, resolution] = errors[code];
    return { code: String(code), title, field, resolution };
  }
  const sentence = status in statuses ? statuses[status as keyof typeof statuses] : "Not known.";
  // "Not Found. The path does not exist …": the name of the status, then its meaning.
  const [title = "", ...rest] = sentence.split(". ");
  return { code: String(code ?? status), title: title.replace(/\.$/, ""), field: null, resolution: rest.join(". ") };
}

/** Returns the hints of one request: one per code, or one for its status; none for a success. */
export function errorHints(status: number, error_codes: readonly number[]): PortalErrorHint[] {
  if (status < 400) return [];
  return error_codes.length === 0 ? [errorHint(status, null)] : error_codes.map((code) => errorHint(status, code));
}
