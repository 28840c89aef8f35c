import type { ScheduleStatus } from "@pestle/contract";
import { Badge, type Tone } from "../../ui/badge.tsx";

export const statusNames: Record<ScheduleStatus, string> = { active: "Active", paused: "Paused", canceled: "Canceled" };
const tones: Record<ScheduleStatus, Tone> = { active: "good", paused: "wait", canceled: "neutral" };

export function ScheduleBadge({ status }: { status: ScheduleStatus }) {
  return <Badge tone={tones[status]}>{statusNames[status]}</Badge>;
}
