import { type DashboardHome, type QueueKey, queues } from "@pestle/contract";
import { Link } from "../../app/router/router.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Age, ageText } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import styles from "./home-screen.module.css";

type Queue = DashboardHome["queues"][number];

/** The work queues with counts and wait times, in the role's order. */
export function QueueTiles({ home, shown }: { home: DashboardHome; shown: readonly QueueKey[] }) {
  return (
    <ul className={styles["tiles"]}>
      {shown.flatMap((key, at) => {
        const queue = home.queues.find((one) => one.key === key);
        return queue ? [<Tile key={key} queue={queue} number={at + 1} />] : [];
      })}
    </ul>
  );
}

function Tile({ queue: { key, count, oldest_at, late, target_minutes }, number }: { queue: Queue; number: number }) {
  return (
    <li>
      <Link to={`/queue/${key}`} className={styles["tile"]} data-late={late > 0 || undefined}>
        <span className={styles["name"]}>
          {sayName(queues[key].name)}
          <Keys keys={String(number)} />
        </span>
        <span className={styles["count"]}>{numberText(count)}</span>
        <span className={styles["facts"]}>
          {"today" in queues[key] ? (
            <span>{say("Since midnight")}</span>
          ) : oldest_at === null ? (
            <span>{say("All caught up")}</span>
          ) : (
            <span>{sayWith("Oldest {age}", { age: <Age since={oldest_at} /> })}</span>
          )}
          {late > 0 ? (
            <strong>{say("{late} late", { late: numberText(late) })}</strong>
          ) : (
            target_minutes !== null && <span>{say("Target {time}", { time: ageText(target_minutes * 60_000) })}</span>
          )}
        </span>
      </Link>
    </li>
  );
}
