import { ApiError } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import type { DoWork } from "./use-order.ts";

/** Why what was asked was not done. Where somebody was faster, looking again is all that helps. */
export function WorkProblem({ work: { error }, again }: { work: DoWork; again: () => void }) {
  if (error === null) return null;
  if (!(error instanceof ApiError) || error.status !== 409) return <Problem error={error} />;
  return (
    <Notice
      tone="bad"
      title={error.message}
      actions={
        <Button small icon="refresh" onClick={again}>
          Look again
        </Button>
      }
    >
      {error.request_id && (
        <p className="small quiet">
          Request <code>{error.request_id}</code>
        </p>
      )}
    </Notice>
  );
}
