import { ApiError } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import type { DoWork } from "./use-order.ts";

/** Shows why an action failed. On a conflict, the user has to refresh. */
export function WorkProblem({ work: { error }, again }: { work: DoWork; again: () => void }) {
  if (error === null) return null;
  if (!(error instanceof ApiError) || error.status !== 409) return <Problem error={error} />;
  return (
    <Notice
      tone="bad"
      title={error.message}
      actions={
        <Button small icon="refresh" onClick={again}>
          {say("Refresh")}
        </Button>
      }
    >
      {error.request_id && (
        <p className="small quiet">
          {sayWith("Request {request_id}", { request_id: <code>{error.request_id}</code> })}
        </p>
      )}
    </Notice>
  );
}
