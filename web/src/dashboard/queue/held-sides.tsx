import type { Environment, HeldSide } from "@pestle/contract";
import { useEffect } from "react";
import { addressOf } from "../../app/api.ts";
import { useApi } from "../../app/use-api.ts";
import styles from "./queue-screen.module.css";

const names: Record<HeldSide, string> = { pharmacy: "Needs you", partner: "Waiting for partner" };

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
  const all = data && data.pharmacy + data.partner;
  const choices = [[null, "All", all] as const, ...sides.map((side) => [side, names[side], data?.[side]] as const)];
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a form
    <div role="group" aria-label="Who must act" className={styles["sides"]}>
      {choices.map(([side, name, count]) => (
        <button key={name} type="button" aria-pressed={(side ?? undefined) === chosen} onClick={() => onChoose(side)}>
          {name}
          {count !== undefined && <span>{count.toLocaleString()}</span>}
        </button>
      ))}
    </div>
  );
}

const sides: readonly HeldSide[] = ["pharmacy", "partner"];
