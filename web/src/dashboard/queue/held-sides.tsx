import { type Environment, type HeldSide, heldSides } from "@pestle/contract";
import { useEffect } from "react";
import { addressOf } from "../../app/api.ts";
import { useApi } from "../../app/use-api.ts";
import { Choices } from "../../ui/controls/choices.tsx";
import { say } from "../../ui/words/say.tsx";

const names: Record<HeldSide, string> = { pharmacy: say("Needs you"), partner: say("Waiting for partner") };

/** The two halves of the orders on hold, with counts. The address keeps the choice. */
export function HeldSides({
  environment,
  chosen,
  changed_ms,
  onChoose,
}: {
  /** Empty for both. */
  environment: string | undefined;
  chosen: string | undefined;
  changed_ms: number;
  onChoose: (side: HeldSide | null) => void;
}) {
  const { data, refetch } = useApi(
    addressOf("/dashboard/held", { environment: environment as Environment | undefined }),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: refetch when the home page's counts change
  useEffect(() => void refetch(), [changed_ms, refetch]);
  const all = { key: null, name: say("All"), count: data && data.pharmacy + data.partner };
  return (
    <Choices<HeldSide | null>
      label={say("Who must act")}
      choices={[all, ...heldSides.map((side) => ({ key: side, name: names[side], count: data?.[side] }))]}
      chosen={heldSides.find((side) => side === chosen) ?? null}
      onChoose={onChoose}
    />
  );
}
