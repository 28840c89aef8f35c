import { Button } from "../ui/controls/button.tsx";
import { Page } from "./shell/page.tsx";

/** Instead of a screen whose own script failed. */
export function Fault({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page title="A fault">
      <p>This screen has a fault. What you did before is saved; what you typed here may not be.</p>
      <pre className="small">{error instanceof Error ? error.message : String(error)}</pre>
      <div className="row">
        <Button icon="refresh" onClick={reset}>
          Try again
        </Button>
      </div>
    </Page>
  );
}
