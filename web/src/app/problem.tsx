import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/display/notice.tsx";
import { ApiError } from "./api.ts";

/** Something went wrong: what, how to try again, and the number by which somebody else finds it in the log. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Notice
      tone="bad"
      title={known?.message ?? "This page has a fault."}
      actions={
        retry && (
          <Button small icon="refresh" onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      {known !== null && known.problems.length > 0 && (
        <ul>
          {known.problems.map(({ code, field, message }) => (
            <li key={`${code} ${field}`}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {known?.request_id && (
        <p className="small quiet">
          Request <code>{known.request_id}</code>
        </p>
      )}
    </Notice>
  );
}
