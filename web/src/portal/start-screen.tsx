import { useEffect } from "react";
import { Loaded } from "../app/loaded.tsx";
import { useNavigate } from "../app/router/router.tsx";
import { Page } from "../app/shell/page.tsx";
import { useApi } from "../app/use-api.ts";
import { Empty } from "../ui/display/notice.tsx";
import { say } from "../ui/words/say.tsx";
import { environmentIn } from "./environment.ts";

/** Redirects to the account used last, else to the first one. */
export function StartScreen() {
  const index = useApi("/portal");
  const navigate = useNavigate();
  const accounts = index.data?.accounts ?? [];
  const last = environmentIn("/");
  const environment = (accounts.find((one) => one.environment === last) ?? accounts[0])?.environment;
  useEffect(() => {
    if (environment !== undefined) void navigate({ to: `/${environment}/home`, replace: true });
  }, [environment, navigate]);
  return (
    <Page title={say("Partner portal")}>
      <Loaded query={index}>
        {() =>
          environment === undefined && (
            <Empty title={say("No account yet")}>
              <p>{say("Ask the pharmacy to create one for you.")}</p>
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}
