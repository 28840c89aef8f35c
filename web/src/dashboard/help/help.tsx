import { lazy, Suspense, useEffect } from "react";
import { useLocation, useRoutePath } from "../../app/router/router.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { IconButton } from "../../ui/controls/button.tsx";
import { say } from "../../ui/words/say.tsx";
import { openPanel, usePanel } from "../panels.ts";
import { isTourDone, tourDone } from "./tour-seen.ts";

const HelpPanel = lazy(async () => ({ default: (await import("./help-panel.tsx")).HelpPanel }));
const Tour = lazy(async () => ({ default: (await import("./tour.tsx")).Tour }));

export const HelpButton = () => (
  <IconButton label={say("Help for this page")} icon="help" onClick={() => openPanel("help")} />
);

/** The guide's text for the current screen. New users also see the tour, once, on the home page. */
export function Help() {
  const { person_id } = useSignedIn();
  const { pathname } = useLocation();
  const path = useRoutePath() ?? "/";
  const panel = usePanel();
  useShortcuts([
    { keys: "F1", label: say("Help for this page"), group: say("Everywhere"), run: () => openPanel("help") },
  ]);
  useEffect(() => {
    if (pathname === "/" && !isTourDone(person_id)) openPanel("tour");
  }, [pathname, person_id]);
  const endTour = () => {
    tourDone(person_id);
    openPanel(null);
  };
  return (
    <Suspense>
      {panel === "help" && <HelpPanel path={path} onClose={() => openPanel(null)} onTour={() => openPanel("tour")} />}
      {panel === "tour" && <Tour onClose={endTour} />}
    </Suspense>
  );
}
