import {
  type DashboardReview,
  type DashboardReviewPage,
  NOTE_CHARACTERS,
  type ReviewClosed,
  reviewActions,
  type VerdictRequest,
} from "@pestle/contract";
import { type ReactNode, useRef, useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextArea } from "../../ui/controls/field.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import type { Close, DecisionForm, Sent } from "./decision-form.ts";
import { SolveForm } from "./solve-form.tsx";

/** The decision form. Users who cannot decide see who can. */
export function DecisionCard({
  page,
  path,
  onClosed,
  again,
}: {
  page: DashboardReviewPage;
  path: `/dashboard/reviews/${string}/${string}`;
  onClosed: (answer: ReviewClosed, said: string) => void;
  again: () => void;
}) {
  const { review, can_close } = page;
  const close: Close = useChange(
    async (body: Sent, said: string) => {
      const answer = await api(`${path}/${review.closed_by}`, { method: "POST", body });
      onClosed(answer, said);
      return answer;
    },
    { reads: ["/dashboard/home"] },
  );
  if (review.resolved_at !== null) return <Decided review={review} resolved_at={review.resolved_at} />;
  if (!can_close) {
    return (
      <Card title={say("Decision")}>
        <p className="quiet">
          {review.closed_by === "verdict"
            ? say("Only a pharmacist with a current license can decide this.")
            : say("Only a pharmacist, lead or admin can decide this.")}
        </p>
      </Card>
    );
  }
  const Form = forms[review.closed_by];
  return (
    <Card title={say("Decision")}>
      <div className="stack-tight">
        <Form page={page} close={close} />
        {close.error !== null && <Problem error={close.error} retry={again} />}
      </div>
    </Card>
  );
}

function Decided({ review: { outcome, resolved_by }, resolved_at }: { review: DashboardReview; resolved_at: string }) {
  return (
    <Card title={say("Decided")}>
      <Facts
        facts={[
          [say("Outcome"), outcome],
          [say("By"), resolved_by ?? "Pestle"],
          [say("When"), <When key="at" at={resolved_at} />],
        ]}
      />
    </Card>
  );
}

const forms: Record<DashboardReview["closed_by"], (given: DecisionForm) => ReactNode> = {
  verdict: VerdictForm,
  route: RouteForm,
  resolve: SolveForm,
};

const NOTE = { maxLength: NOTE_CHARACTERS, rows: 2 };

function VerdictForm({ close }: DecisionForm) {
  const [note, setNote] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const send = (verdict: VerdictRequest["verdict"]) => {
    // A rejection needs a reason because the prescriber will ask for it.
    if (verdict === "rejected" && note.trim() === "") {
      field.current?.focus();
      return;
    }
    const done = sayName(reviewActions[verdict === "accepted" ? "accept" : "reject"].done);
    void close.run({ verdict, ...(note.trim() !== "" && { note }) }, done);
  };
  useShortcuts([
    { keys: "a", label: say("Accept prescription"), run: () => send("accepted") },
    { keys: "d", label: say("Reject prescription"), run: () => send("rejected") },
    { keys: "n", label: say("Add note"), run: () => field.current?.focus() },
  ]);
  return (
    <>
      <TextArea
        ref={field}
        label={say("Note")}
        hint={say("Saved with your name. Required to reject.")}
        {...NOTE}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="row">
        <Button tone="primary" icon="check" keys="a" busy={close.busy} onClick={() => send("accepted")}>
          {sayName(reviewActions.accept.name)}
        </Button>
        <Button tone="danger" icon="close" keys="d" busy={close.busy} onClick={() => send("rejected")}>
          {sayName(reviewActions.reject.name)}
        </Button>
      </div>
    </>
  );
}

function RouteForm({
  page: {
    review: { receivers },
  },
  close,
}: DecisionForm) {
  const [to_account_id, setTo] = useState("");
  if (receivers.length === 0)
    return <p className="quiet">{say("No account has the NCPDP ID this message was sent to.")}</p>;
  return (
    <form
      className="stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        void close.run({ to_account_id }, sayName(reviewActions.route.done));
      }}
    >
      <SelectField
        label={say("Assign to")}
        hint={say(
          "These accounts share the NCPDP ID this message was sent to. Add a routing rule to route the next one automatically.",
        )}
        required
        options={[
          ["", say("Choose")],
          ...receivers.map((one) => [one.account_id, one.partner ?? one.account_id] as const),
        ]}
        value={to_account_id}
        onChange={(event) => setTo(event.target.value)}
      />
      <div className="row">
        <Button tone="primary" type="submit" busy={close.busy}>
          {sayName(reviewActions.route.name)}
        </Button>
      </div>
    </form>
  );
}
