import { drugSchedules, exceptionIds, exceptions, orderStatuses } from "@pestle/contract";
import { memo } from "react";
import type { Filters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Pick } from "../../ui/controls/pick.tsx";
import { stateCodes } from "../../ui/us-states.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { environmentFilter } from "../environment.ts";
import styles from "./queue-screen.module.css";

type Options = readonly (readonly [string, string])[];

const ages: Options = [
  ["30", say("30 minutes")],
  ["60", say("1 hour")],
  ["240", say("4 hours")],
  ["1440", say("1 day")],
  ["4320", say("3 days")],
  ["10080", say("1 week")],
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
    ["partner_id", say("Partner"), [...partners]],
    // Brand IDs are unique only within a partner.
    ...(filters["partner_id"] === undefined ? [] : [["brand_id", say("Brand"), [...brands]] as const]),
    [environmentFilter.name, environmentFilter.label, environmentFilter.options],
    ...(queue === null && !messages
      ? [
          [
            "show",
            say("Show"),
            [
              ["open", say("Open orders")],
              ["all", say("All orders")],
            ],
          ] as const,
        ]
      : []),
    ...(queue === null
      ? [["order_status", say("Status"), orderStatuses.map((one) => [one, sayName(one)] as const)] as const]
      : []),
    ...(queue === null || queue === "on_hold"
      ? [
          [
            "exception_id",
            say("Exception"),
            exceptionIds.map((id) => [String(id), sayName(exceptions[id].name)] as const),
          ] as const,
        ]
      : []),
    ...(queue === "pack"
      ? [
          [
            "printed",
            say("Slip and label"),
            [
              ["no", say("To print")],
              ["yes", say("Printed")],
            ],
          ] as const,
        ]
      : []),
    [
      "schedule",
      say("Schedule"),
      drugSchedules.map((one) => [one, one === "0" ? say("Not controlled") : `C${one}`] as const),
    ],
    ["state", say("State"), stateCodes.map((code) => [code, code] as const)],
    ["older_than_minutes", say("Waiting over"), ages],
    [
      "claimed",
      say("Claimed"),
      [
        ["mine", say("By me")],
        ["free", say("Unclaimed")],
        ["others", say("By others")],
      ],
    ],
    ...(messages
      ? []
      : [
          [
            "messages",
            say("Messages"),
            [
              ["from_partner", say("From the partner")],
              ["unanswered", say("Question unanswered")],
            ],
          ] as const,
        ]),
    [
      "sort",
      say("Sort"),
      [
        ["oldest", say("Oldest first")],
        ["newest", say("Newest first")],
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
