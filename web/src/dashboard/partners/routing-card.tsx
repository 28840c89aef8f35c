import { type DashboardPartner, type RoutingRule, type RoutingRuleRequest, routingRuleKinds } from "@pestle/contract";
import { type FormEvent, useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useChange } from "../../app/use-change.ts";
import { Button, IconButton } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { say } from "../../ui/words/say.tsx";
import { admins } from "../roles.ts";
import styles from "./partner-screen.module.css";

const kinds: Record<RoutingRule["kind"], { name: string; hint: string }> = {
  sender: { name: say("Sender"), hint: say("The sender's ID in the message.") },
  prescriber_npi: { name: say("Prescriber NPI"), hint: say("10 digits.") },
  practice: { name: say("Practice"), hint: say("The practice name in the message.") },
};

/** Rules that route messages to this account if several accounts share an NCPDP ID. */
export function RoutingCard({ partner: { account_id, ncpdp_id, routing_rules } }: { partner: DashboardPartner }) {
  const may = admins.includes(useSignedIn().role);
  const change = useChange(
    (body: RoutingRuleRequest) => api(`/dashboard/partners/${account_id}/routing_rules`, { method: "POST", body }),
    { reads: ["/dashboard/partners"] },
  );
  return (
    <Card title={say("Routing")}>
      <div className="stack-tight">
        <p className="quiet">
          {ncpdp_id === null
            ? say("This account has no NCPDP ID, so it receives no messages.")
            : say("If several accounts share an NCPDP ID, these rules route messages to this one.")}
        </p>
        {routing_rules.length > 0 && (
          <ul className={styles["rules"]}>
            {routing_rules.map((rule) => (
              <li key={`${rule.kind} ${rule.value}`}>
                <span className="quiet">{kinds[rule.kind].name}</span>
                <span>{rule.value}</span>
                {may && (
                  <IconButton
                    label={say("Remove rule {rule}", { rule: rule.value })}
                    icon="close"
                    onClick={() => void change.run({ ...rule, remove: true })}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
        {may && ncpdp_id !== null && <AddRule add={change.run} busy={change.busy} error={change.error} />}
        {change.error !== null && problemOf(change.error, "value") === null && <Problem error={change.error} />}
      </div>
    </Card>
  );
}

function AddRule({
  add,
  busy,
  error,
}: {
  add: (rule: RoutingRule) => Promise<DashboardPartner | undefined>;
  busy: boolean;
  error: unknown;
}) {
  const [rule, setRule] = useState<RoutingRule>({ kind: "sender", value: "" });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if ((await add({ ...rule, value: rule.value.trim() })) !== undefined) setRule({ ...rule, value: "" });
  };
  return (
    <form className={styles["add-rule"]} onSubmit={submit}>
      <SelectField
        label={say("Match on")}
        options={routingRuleKinds.map((kind) => [kind, kinds[kind].name] as const)}
        value={rule.kind}
        onChange={(event) => setRule({ ...rule, kind: event.target.value as RoutingRule["kind"] })}
      />
      <TextField
        label={say("Value")}
        placeholder={kinds[rule.kind].hint}
        required
        maxLength={200}
        problem={problemOf(error, "value")}
        value={rule.value}
        onChange={(event) => setRule({ ...rule, value: event.target.value })}
      />
      <Button type="submit" busy={busy}>
        {say("Add")}
      </Button>
    </form>
  );
}
