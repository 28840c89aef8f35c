import { errors, isErrorCode, type PortalErrorHint, statuses } from "@pestle/contract";

/** What an error means and what to do about it: by its code, or where it has none by its status. */
export function errorHint(status: number, code: number | null): PortalErrorHint {
  if (code !== null && isErrorCode(code)) {
    const [title, field, resolution] = errors[code];
    return { code: String(code), title, field, resolution };
  }
  const sentence = status in statuses ? statuses[status as keyof typeof statuses] : "Not known.";
  // "Not Found. There is no such path …": the name of the status, and what it means here.
  const [title = "", ...rest] = sentence.split(". ");
  return { code: String(code ?? status), title: title.replace(/\.$/, ""), field: null, resolution: rest.join(". ") };
}

/** Of one request: one for each code it was told, or one for its status; none where nothing was wrong. */
export function errorHints(status: number, error_codes: readonly number[]): PortalErrorHint[] {
  if (status < 400) return [];
  return error_codes.length === 0 ? [errorHint(status, null)] : error_codes.map((code) => errorHint(status, code));
}
