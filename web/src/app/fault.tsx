import { Button } from "../ui/controls/button.tsx";
import { say } from "../ui/words/say.tsx";
import { Page } from "./shell/page.tsx";

/** What browsers and the bundler say if a part of the page is no longer on the server. */
const GONE = /preload CSS|dynamically imported module|importing a module script/i;

/** Shown in place of a screen that threw while rendering, or whose code did not load. */
export function Fault({ error, reset }: { error: unknown; reset: () => void }) {
  const text = error instanceof Error ? error.message : String(error);
  if (GONE.test(text)) {
    return (
      <Page title={say("Reload to continue")}>
        <p>{say("This screen did not load. Pestle has probably been updated since you opened this page.")}</p>
        <div className="row">
          <Button tone="primary" icon="refresh" onClick={() => location.reload()}>
            {say("Reload")}
          </Button>
        </div>
      </Page>
    );
  }
  return (
    <Page title={say("Something went wrong")}>
      <p>{say("This screen crashed. Your saved work is safe, but anything you typed here may be lost.")}</p>
      <pre className="small">{text}</pre>
      <div className="row">
        <Button icon="refresh" onClick={reset}>
          {say("Try again")}
        </Button>
      </div>
    </Page>
  );
}
