import { drugSchedules, exceptionIds, exceptions, orderStatuses } from "@pestle/contract";
import { memo } from "react";
import type { Filters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Pick } from "../../ui/controls/pick.tsx";
import { stateCodes } from "../../ui/us-states.ts";
import { say } from "../../ui/words/say.tsx";
import { environmentFilter } from "../environment.ts";
import styles from "./queue-screen.module.css";

type Options = readonly (readonly [string, string])[];

const ages: Options = [
  ["30", "30 minutes"],
  ["60", "1 hour"],
  ["240", "4 hours"],
  ["1440", "1 day"],
  ["4320", "3 days"],
  ["10080", "1 week"],
];

/** Table filters. They live in the URL, so a shared link shows the same table. */
export const FilterBar = memo(function FilterBar({
  queue,
  messages,
  filters,
  change,
  loading,
}: {
  queue: string | null;
  /** The list of messages, which has that filter already. */
  messages: boolean;
  filters: Filters;
  change: (changes: Record<string, string | null>) => void;
  loading: boolean;
}) {
  const { data } = useApi("/dashboard/accounts");
  const accounts = (data?.accounts ?? []).filter(({ partner }) => partner !== null);
  const partners = new Map(accounts.map(({ partner_id, partner }) => [partner_id ?? "", partner ?? ""]));
  const brands = new Map(
    accounts
      .filter(({ partner_id }) => partner_id === filters["partner_id"])
      .flatMap((account) => account.brands.map(({ id, name }) => [String(id), name] as const)),
  );
  const choices: (readonly [string, string, Options])[] = [
    ["partner_id", "Partner", [...partners]],
    // Brand IDs are unique only within a partner.
    ...(filters["partner_id"] === undefined ? [] : [["brand_id", "Brand", [...brands]] as const]),
    [environmentFilter.name, environmentFilter.label, environmentFilter.options],
    ...(queue === null && !messages
      ? [
          [
            "show",
            "Show",
            [
              ["open", "Open orders"],
              ["all", "All orders"],
            ],
          ] as const,
        ]
      : []),
    ...(queue === null ? [["order_status", "Status", orderStatuses.map((one) => [one, one] as const)] as const] : []),
    ...(queue === null || queue === "on_hold"
      ? [["exception_id", "Exception", exceptionIds.map((id) => [String(id), exceptions[id].name] as const)] as const]
      : []),
    ...(queue === "pack"
      ? [
          [
            "printed",
            "Slip and label",
            [
              ["no", "To print"],
              ["yes", "Printed"],
            ],
          ] as const,
        ]
      : []),
    ["schedule", "Schedule", drugSchedules.map((one) => [one, one === "0" ? "Not controlled" : `C${one}`] as const)],
    ["state", "State", stateCodes.map((code) => [code, code] as const)],
    ["older_than_minutes", "Waiting over", ages],
    [
      "claimed",
      "Claimed",
      [
        ["mine", "By me"],
        ["free", "Unclaimed"],
        ["others", "By others"],
      ],
    ],
    ...(messages
      ? []
      : [
          [
            "messages",
            "Messages",
            [
              ["from_partner", "From the partner"],
              ["unanswered", "Question unanswered"],
            ],
          ] as const,
        ]),
    [
      "sort",
      "Sort",
      [
        ["oldest", "Oldest first"],
        ["newest", "Newest first"],
      ],
    ],
  ];
  const set = choices.filter(([name]) => filters[name] !== undefined);
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a form
    <div role="group" aria-label={say("Filters")} className={styles["filters"]}>
      {choices.map(([name, label, options]) => (
        <Pick
          key={name}
          label={label}
          options={options}
          value={filters[name]}
          onChange={(value) => change({ [name]: value, ...(name === "partner_id" && { brand_id: null }) })}
        />
      ))}
      {set.length > 0 && (
        <Button
          tone="quiet"
          small
          icon="close"
          onClick={() => change(Object.fromEntries(choices.map(([name]) => [name, null])))}
        >
          {say("Clear")}
        </Button>
      )}
      {loading && <span className={`quiet ${styles["filters-end"]}`}>{say("Loading…")}</span>}
    </div>
  );
});
