import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/display/notice.tsx";
import { say, sayWith } from "../ui/words/say.tsx";
import { ApiError } from "./api.ts";

/** An error message with a retry button and the request id for finding it in the log. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Notice
      tone="bad"
      title={known?.message ?? say("Something went wrong on this page.")}
      actions={
        retry && (
          <Button small icon="refresh" onClick={retry}>
            {say("Try again")}
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
        <p className="small quiet">{sayWith("Request {id}", { id: <code>{known.request_id}</code> })}</p>
      )}
    </Notice>
  );
}
