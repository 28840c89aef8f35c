import { buttonClass } from "../../ui/controls/button.tsx";
import { Empty } from "../../ui/display/notice.tsx";

/** The one answer to every address that is none, and to everybody whose it is not. */
export function NotFound() {
  return (
    <Empty title="There is nothing here">
      <div className="stack">
        <p>The address is wrong, or what it named is not yours to see.</p>
        <p>
          <a className={buttonClass("plain")} href={location.pathname.startsWith("/portal") ? "/portal" : "/dashboard"}>
            Go to the start
          </a>
        </p>
      </div>
    </Empty>
  );
}
