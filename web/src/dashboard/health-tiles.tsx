import type { DashboardHealth } from "@pestle/contract";
import type { Tone } from "../ui/badge.tsx";
import { TileBody, tileClass, tilesClass } from "../ui/display/tile.tsx";
import { say } from "../ui/words/say.tsx";

type Finding = DashboardHealth["findings"][number];
type Lag = DashboardHealth["lags"][number];

export const HEALTH_REFRESH_MS = 30_000;
/** Jobs run every few seconds, so work overdue by more than this is stuck. */
const STUCK_AFTER_MS = 5 * 60_000;
const SAFETY = "safety tables";

export const states: Record<Finding["state"], { name: string; tone: Tone }> = {
  ok: { name: say("Healthy"), tone: "good" },
  warning: { name: say("Warning"), tone: "wait" },
  failed: { name: say("Failed"), tone: "bad" },
};

export const safetyIn = ({ findings }: DashboardHealth): Finding | undefined =>
  findings.find(({ what }) => what === SAFETY);

export const isStuck = ({ oldest_at }: Lag): boolean =>
  oldest_at !== null && Date.now() - Date.parse(oldest_at) > STUCK_AFTER_MS;

/** The service's state at a glance. */
export function HealthTiles({ health }: { health: DashboardHealth }) {
  const { version, state, lags } = health;
  const safety = safetyIn(health);
  const stuck = lags.filter(isStuck);
  return (
    <div className={tilesClass}>
      <div className={tileClass}>
        <TileBody label={say("Service")} value={states[state].name} tone={states[state].tone} />
      </div>
      <div className={tileClass}>
        <TileBody
          label={say("Safety engine")}
          value={safety ? (safety.state === "failed" ? say("Failed") : say("Active")) : say("Unknown")}
          tone={safety ? states[safety.state].tone : "wait"}
        />
      </div>
      <div className={tileClass}>
        <TileBody
          label={say("Jobs")}
          value={stuck.length === 0 ? say("On time") : say("Behind")}
          tone={stuck.length === 0 ? "good" : "bad"}
        />
      </div>
      <div className={tileClass}>
        <TileBody label={say("Version")} value={version} />
      </div>
    </div>
  );
}
