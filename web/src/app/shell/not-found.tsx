import { buttonClass } from "../../ui/controls/button.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { say } from "../../ui/words/say.tsx";
import { Page } from "./page.tsx";

/** Shown for unknown URLs and for pages the user may not see. The two look the same on purpose. */
export function NotFound() {
  return (
    <Empty title={say("Page not found")}>
      <div className="stack">
        <p>{say("The link may be wrong, or you may not have access to this page.")}</p>
        <p>
          <a className={buttonClass("plain")} href={location.pathname.startsWith("/portal") ? "/portal" : "/dashboard"}>
            {say("Go home")}
          </a>
        </p>
      </div>
    </Empty>
  );
}

/** The same as a whole screen. */
export function NotFoundPage() {
  return (
    <Page title={say("Not found")}>
      <NotFound />
    </Page>
  );
}
