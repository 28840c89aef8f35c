import type { Environment } from "@pestle/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useLive } from "../app/live.ts";
import { useApi } from "../app/use-api.ts";
import { numberText } from "../ui/words/number-text.ts";
import { say } from "../ui/words/say.tsx";
import { useEnvironment } from "./environment.ts";
import styles from "./live-home.module.css";

const homeOf = (environment: Environment) => `/dashboard/home?environment=${environment}` as const;

/** The current environment's queues: fetched once, then updated by the event stream. */
export function useHome() {
  const environment = useEnvironment();
  return useApi(homeOf(environment ?? "production"), { enabled: environment !== undefined });
}

/** Subscribes to the event stream while the app is open. Renders nothing. */
export function LiveHome() {
  const environment = useEnvironment();
  return environment && <Listening key={environment} environment={environment} />;
}

function Listening({ environment }: { environment: Environment }) {
  const queries = useQueryClient();
  useLive(`/dashboard/stream?environment=${environment}`, "home", (data) =>
    queries.setQueryData([homeOf(environment)], data),
  );
  return null;
}

/** The count next to a sidebar entry. Highlighted if orders are late. */
export function NavCount({ path }: { path: string }) {
  const { data } = useHome();
  if (data === undefined) return null;
  if (path === "/reviews") return data.reviews > 0 && <span className={styles["count"]}>{data.reviews}</span>;
  const queue = data.queues.find(({ key }) => path === `/queue/${key}`);
  if (queue === undefined || queue.count === 0) return null;
  return (
    <span className={styles["count"]} data-late={queue.late > 0 || undefined}>
      {numberText(queue.count)}
      <span className="unseen">
        {" "}
        {queue.late > 0 ? say("orders, {late} late", { late: numberText(queue.late) }) : say("orders")}
      </span>
    </span>
  );
}
