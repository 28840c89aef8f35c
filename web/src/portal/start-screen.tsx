import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { Loaded } from "../app/loaded.tsx";
import { Page } from "../app/shell/page.tsx";
import { useApi } from "../app/use-api.ts";
import { Empty } from "../ui/display/notice.tsx";
import { environmentIn } from "./environment.ts";

/** Goes on to the account that somebody used last, or to one that there is. */
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
    <Page title="Partner portal">
      <Loaded query={index}>
        {() =>
          environment === undefined && (
            <Empty title="There is no account yet">
              <p>The pharmacy opens one for you.</p>
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}
