import { buttonClass } from "../../ui/controls/button.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { Page } from "./page.tsx";

/** Shown for unknown URLs and for pages the user may not see. The two look the same on purpose. */
export function NotFound() {
  return (
    <Empty title="Page not found">
      <div className="stack">
        <p>The link may be wrong, or you may not have access to this page.</p>
        <p>
          <a className={buttonClass("plain")} href={location.pathname.startsWith("/portal") ? "/portal" : "/dashboard"}>
            Go home
          </a>
        </p>
      </div>
    </Empty>
  );
}

/** The same as a whole screen. */
export function NotFoundPage() {
  return (
    <Page title="Not found">
      <NotFound />
    </Page>
  );
}
