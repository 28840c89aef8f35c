import {
  actions,
  exceptions,
  overrideReasons,
  providers,
  type TimelineEntry,
  type TransitionEvent,
} from "@pestle/contract";
import type { ReactNode } from "react";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Pick } from "../../ui/controls/pick.tsx";
import { Card } from "../../ui/display/card.tsx";
import { PatientMessageText } from "../../ui/display/patient-message.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { Icon } from "../../ui/icon.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import styles from "./order-screen.module.css";

type Kind = TimelineEntry["kind"];
const kinds: Record<Kind, { icon: IconName; name: string }> = {
  history: { icon: "pulse", name: say("Changes") },
  action: { icon: "external", name: say("Partner actions") },
  note: { icon: "note", name: say("Notes") },
  webhook: { icon: "webhook", name: say("Webhooks") },
  provider: { icon: "external", name: say("Calls of providers") },
  patient_message: { icon: "message", name: say("Messages to the patient") },
  view: { icon: "eye", name: say("Views") },
};

const said: Record<TransitionEvent, string> = {
  create: say("Order placed"),
  approve_review: say("Clinical review approved"),
  complete_fill: say("Filled"),
  verify_product: say("Product checked"),
  reject_product: say("Sent back to fill"),
  ship: say("Shipped"),
  track: say("Tracking update"),
  deliver: say("Delivered"),
  raise_exception: say("Placed on hold"),
  resolve: say("Exception resolved"),
  cancel: say("Canceled"),
  update_address: say("Address changed"),
  replace_prescription: say("Prescription replaced"),
  remove_item: say("Item removed"),
  refund: say("Refunded"),
};
const views: Record<string, string> = {
  order_viewed: say("Viewed the order"),
  order_revealed: say("Revealed patient and address"),
  document_viewed: say("Opened a document"),
  order_assigned: say("Assigned the order to a colleague"),
  order_printed: say("Printed the slip and label"),
  messages_viewed: say("Read the messages"),
  message_sent: say("Sent a message to the partner"),
  safety_entry_added: say("Recorded an allergy, medication or condition"),
  safety_entry_removed: say("Removed an allergy, medication or condition"),
};

/** Every change to the order and every view of it, newest first. */
export function TimelineCard({ entries }: { entries: readonly TimelineEntry[] }) {
  const [only, setOnly] = useState<Kind | "">("");
  const present = (Object.keys(kinds) as Kind[]).filter((kind) => entries.some((entry) => entry.kind === kind));
  const shown = joined(entries.filter(({ kind }) => only === "" || kind === only));
  return (
    <Card
      title={say("Timeline")}
      actions={
        <Pick
          label={say("Everything")}
          options={present.map((kind) => [kind, kinds[kind].name] as const)}
          value={only}
          onChange={(kind) => setOnly(kind as Kind | "")}
        />
      }
    >
      <ol className={styles["entries"]}>
        {shown.map(({ entry, times }) => (
          <li key={`${entry.at} ${entry.kind} ${what(entry)}`}>
            <Icon name={kinds[entry.kind].icon} />
            <div>
              <p>
                {sentence(entry)}
                {times > 1 && <span className="quiet"> {say("{times} times", { times })}</span>}
              </p>
              <p className="small quiet">{[entry.who, entry.role && sayName(entry.role)].filter(Boolean).join(", ")}</p>
            </div>
            <span className="quiet small">
              <When at={entry.at} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Collapses repeated views by the same person. */
function joined(entries: readonly TimelineEntry[]): { entry: TimelineEntry; times: number }[] {
  const result: { entry: TimelineEntry; times: number }[] = [];
  for (const entry of entries) {
    const last = result.at(-1);
    if (last && entry.kind === "view" && last.entry.who === entry.who && what(last.entry) === what(entry))
      last.times += 1;
    else result.push({ entry, times: 1 });
  }
  return result;
}

const what = (entry: TimelineEntry): string =>
  entry.kind === "view"
    ? entry.action
    : entry.kind === "note"
      ? entry.reason
      : "event" in entry
        ? entry.event
        : entry.kind === "provider"
          ? entry.what
          : entry.kind === "patient_message"
            ? `${entry.notice} ${entry.channel}`
            : entry.event_type;

/** What a note overrides, with the code and the license. Overrides from before 0.2.0 have neither. */
function overrideText({ overridden, code, license_number }: Extract<TimelineEntry, { kind: "note" }>): string {
  const names = overridden.map((id) => sayName(exceptions[id].name)).join(", ");
  if (code === null) return say("(overrides {exceptions})", { exceptions: names });
  return say("(overrides {exceptions}: {reason} License {license_number})", {
    exceptions: names,
    reason: sayName(overrideReasons[code]),
    license_number: String(license_number),
  });
}

function sentence(entry: TimelineEntry): ReactNode {
  switch (entry.kind) {
    case "history":
      return (
        <>
          <strong>{said[entry.event]}</strong>
          {entry.exception_id !== null && `: ${sayName(exceptions[entry.exception_id].name)}`}
          {entry.reason && <span> “{entry.reason}”</span>}
        </>
      );
    case "action":
      return (
        <>
          {sayWith("Partner action: {action}", { action: <strong>{sayName(actions[entry.event].action)}</strong> })}
          {entry.exception_id !== null && ` (${sayName(exceptions[entry.exception_id].name)})`}
        </>
      );
    case "note":
      return (
        <>
          “{entry.reason}”{entry.overridden.length > 0 && ` ${overrideText(entry)}`}
          {entry.signature_holds === true && <Badge tone="good">{say("Signed")}</Badge>}
          {entry.signature_holds === false && <Badge tone="bad">{say("Invalid signature")}</Badge>}
        </>
      );
    case "webhook":
      return (
        <>
          {sayWith("{event_type} to {url}: {outcome}", {
            event_type: entry.event_type,
            url: <span className="mono">{entry.url}</span>,
            outcome: sayName(entry.outcome),
          })}
          {entry.status !== null && ` (${entry.status})`}
        </>
      );
    case "provider":
      return (
        <>
          {sayWith("{provider}: {what}", {
            provider: providerTitle(entry.provider),
            what: <strong lang="en">{entry.what}</strong>,
          })}
          {` (${[entry.status ?? say("no answer"), entry.error_code].filter((part) => part !== null).join(", ")})`}
          {entry.provider_request_id !== null && <span className="mono small"> {entry.provider_request_id}</span>}
        </>
      );
    case "patient_message":
      return <PatientMessageText {...entry} />;
    case "view":
      return views[entry.action] ?? entry.action;
  }
}

/** A provider of an earlier version has no title. */
const providerTitle = (name: string): string =>
  Object.entries(providers).find(([known]) => known === name)?.[1].title ?? name;
