import type { ScheduleStatus } from "@pestle/contract";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { say } from "../../ui/words/say.tsx";

export const statusNames: Record<ScheduleStatus, string> = {
  active: say("Active"),
  paused: say("Paused"),
  canceled: say("Canceled"),
};
const tones: Record<ScheduleStatus, Tone> = { active: "good", paused: "wait", canceled: "neutral" };

export function ScheduleBadge({ status }: { status: ScheduleStatus }) {
  return <Badge tone={tones[status]}>{statusNames[status]}</Badge>;
}
