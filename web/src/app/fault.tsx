import { Button } from "../ui/controls/button.tsx";
import { Page } from "./shell/page.tsx";

/** Shown in place of a screen that threw while rendering. */
export function Fault({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page title="Something went wrong">
      <p>This screen crashed. Your saved work is safe, but anything you typed here may be lost.</p>
      <pre className="small">{error instanceof Error ? error.message : String(error)}</pre>
      <div className="row">
        <Button icon="refresh" onClick={reset}>
          Try again
        </Button>
      </div>
    </Page>
  );
}
