import { type FormEvent, useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { ageText } from "../../ui/time.tsx";
import { locale } from "../../ui/words/language.ts";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

const HOUR_S = 3600;
const leaps = [
  [say("1 hour"), HOUR_S],
  [say("1 day"), 24 * HOUR_S],
  [say("7 days"), 7 * 24 * HOUR_S],
  [say("30 days"), 30 * 24 * HOUR_S],
] as const;
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "short" });

/** The account's simulated clock. Advancing it makes refills due and prescriptions expire. */
export function SandboxClock({ now, clock_offset_s }: { now: string; clock_offset_s: number }) {
  const { api_base, may_change } = usePortal();
  const [hours, setHours] = useState("");
  const move = useChange(
    (advance_seconds: number) =>
      api(`${api_base}/sandbox/simulate`, {
        method: "POST",
        body: { simulation_type: "clock", simulation: { advance_seconds } },
      }),
    { done: say("Clock advanced."), reads: ["/portal"] },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void move.run(Math.round(Number(hours) * HOUR_S));
  };
  return (
    <Card title={say("Clock")}>
      <div className="stack">
        <p>
          <strong>{exact.format(new Date(now))}</strong>
          <br />
          <span className="quiet">
            {clock_offset_s === 0
              ? say("Real time. You can only move it forward.")
              : say("{duration} ahead of real time. You can only move it forward.", {
                  duration: ageText(clock_offset_s * 1000),
                })}
          </span>
        </p>
        {may_change && (
          <>
            <div className="row">
              {leaps.map(([text, seconds]) => (
                <Button key={text} small busy={move.busy} onClick={() => void move.run(seconds)}>
                  {text}
                </Button>
              ))}
            </div>
            <form className="row" onSubmit={submit}>
              <TextField
                label={say("Hours")}
                unseen
                placeholder={say("Hours")}
                inputMode="decimal"
                pattern="[0-9]+([.][0-9]+)?"
                required
                value={hours}
                onChange={(event) => setHours(event.target.value)}
              />
              <Button small type="submit" busy={move.busy}>
                {say("Advance")}
              </Button>
            </form>
          </>
        )}
        {move.error !== null && <Problem error={move.error} />}
      </div>
    </Card>
  );
}
