import { type DashboardProvider, type ProviderName, providerKinds, providers } from "@pestle/contract";
import { type ReactNode, useState } from "react";
import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { CodeText } from "../../ui/code-text.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { When } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { states } from "../health-tiles.tsx";
import { admins } from "../roles.ts";

const PATH = "/dashboard/providers";

/** Who charges cards, makes labels, verifies addresses and sends messages for production accounts. */
export function ProvidersScreen() {
  const found = useApi(PATH);
  useShortcuts([{ keys: "r", label: say("Refresh"), run: () => void found.refetch() }]);
  return (
    <Page
      title={say("Providers")}
      about={say("Who serves production accounts. The sandbox always uses simulators. Settings change the providers.")}
      actions={
        <Button icon="refresh" keys="r" busy={found.isFetching} onClick={() => void found.refetch()}>
          {say("Refresh")}
        </Button>
      }
    >
      <Loaded query={found}>
        {({ providers: all }) => all.map((one) => <ProviderCard key={one.kind} provider={one} />)}
      </Loaded>
    </Page>
  );
}

function ProviderCard({ provider: one }: { provider: DashboardProvider }) {
  const may = admins.includes(useSignedIn().role);
  const { title, meaning } = providerKinds[one.kind];
  const facts: [string, ReactNode][] = [
    [say("Provider"), nameOf(one)],
    [say("Setting"), <code key="setting">{one.setting}</code>],
  ];
  if (one.key_ends !== null) facts.push([say("Key ends in"), <code key="key">{one.key_ends}</code>]);
  if (one.webhook_url !== null)
    facts.push([say("Webhook URL"), <Copyable key="url" text={one.webhook_url} label={say("webhook URL")} />]);
  if (one.tested_as !== null) {
    facts.push(
      [say("Calls since the start"), say("{requests}, {failures} failed", counts(one))],
      [say("Last success"), one.last_success_at === null ? say("None") : <When key="last" at={one.last_success_at} />],
    );
    if (one.last_failure !== null)
      facts.push([
        say("Last failure"),
        <span key="failure">
          <When at={one.last_failure.at} /> <span lang="en">{one.last_failure.what}</span>{" "}
          <code>{one.last_failure.error_code}</code>
        </span>,
      ]);
  }
  return (
    <Card title={sayName(title)} actions={<Badge tone={toneOf(one)}>{badgeOf(one)}</Badge>}>
      <div className="stack">
        <p className="quiet">{sayName(meaning)}</p>
        {(one.state !== "ok" || one.provider === null) && (
          <Notice tone={toneOf(one)}>
            <span lang="en">
              <CodeText text={one.says.charAt(0).toUpperCase() + one.says.slice(1)} />
            </span>
          </Notice>
        )}
        <Facts facts={facts} />
        {may && one.tested_as !== null && <TestButton name={one.tested_as} />}
      </div>
    </Card>
  );
}

const counts = ({ requests, failures }: DashboardProvider) => ({
  requests: numberText(requests),
  failures: numberText(failures),
});

function toneOf({ provider, state }: DashboardProvider): Tone {
  if (provider === "simulated") return "bad";
  return provider === null && state === "ok" ? "neutral" : states[state].tone;
}

const badgeOf = ({ provider, state }: DashboardProvider): string =>
  provider === "simulated" ? say("Simulated") : provider === null ? say("Not set") : states[state].name;

function nameOf({ provider }: DashboardProvider): string {
  if (provider === null) return say("Not set");
  if (provider === "none") return say("None");
  if (provider === "simulated") return say("Simulated");
  if (provider === "manual") return say("Staff enter tracking numbers");
  return providers[provider].title;
}

function TestButton({ name }: { name: ProviderName }) {
  const [result, setResult] = useState<{ works: boolean; says: string } | null>(null);
  const test = useChange(() => api(`/dashboard/providers/${name}/test`, { method: "POST" }), {
    reads: [PATH],
    after: setResult,
  });
  return (
    <>
      <div className="row">
        <Button busy={test.busy} onClick={() => void test.run()}>
          {sayWith("Test {provider}", { provider: providers[name].title })}
        </Button>
      </div>
      {test.error !== null && <Problem error={test.error} />}
      {result && (
        <Notice tone={result.works ? "good" : "bad"}>
          <span lang="en">{result.says}</span>
        </Notice>
      )}
    </>
  );
}
