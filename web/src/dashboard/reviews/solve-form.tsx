import {
  CHANGE_REASON_MOST_CHARACTERS,
  type ChangeCode,
  changeCodeNames,
  changeCodes,
  NOTE_CHARACTERS,
  type ResolveReviewRequest,
  type ReviewDeed,
  reviewDeeds,
  reviewRow,
} from "@pestle/contract";
import { useId, useState } from "react";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Choices } from "../../ui/controls/choices.tsx";
import { SelectField, TextArea } from "../../ui/controls/field.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import type { DecisionForm } from "./decision-form.ts";

/** A question that needs a service reason code is asked on the order's page. */
const askable = changeCodeNames.filter((code) => code !== "D");

/** Does what solves the review. The choices come from the table of actions. */
export function SolveForm({ page: { actions, methods }, close }: DecisionForm) {
  const offered = reviewDeeds.filter((deed) => actions.includes(deed));
  const sorted = offered.sort((one, other) => actions.indexOf(one) - actions.indexOf(other));
  const [action, setAction] = useState<ReviewDeed>(sorted[0]!);
  const [note, setNote] = useState("");
  const [method_id, setMethod] = useState(String(methods.find(({ allowed }) => allowed)?.method_id ?? ""));
  const [code, setCode] = useState<ChangeCode>("S");
  const id = useId();
  const { name, takes, done, about, asks } = reviewRow(action);
  useShortcuts([{ keys: "e", label: say("Enter the decision"), run: () => document.getElementById(id)?.focus() }]);
  const body = (): ResolveReviewRequest =>
    takes === "method"
      ? { action, method_id: Number(method_id) }
      : takes === "question"
        ? { action, code, ...(note.trim() !== "" && { reason: note.trim() }) }
        : { action, ...(takes === "note" && { note }) };
  return (
    <form
      className="stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        void close.run(body(), sayName(done));
      }}
    >
      {sorted.length > 1 && (
        <Choices
          label={say("What to do")}
          choices={sorted.map((key) => ({ key, name: sayName(reviewRow(key).name) }))}
          chosen={action}
          onChoose={setAction}
        />
      )}
      <p className="quiet">{sayName(about ?? "")}</p>
      {takes === "method" && (
        <SelectField
          id={id}
          label={say("Shipping method")}
          required
          options={[
            ["", say("Choose")],
            ...methods.map(
              (one) =>
                [
                  String(one.method_id),
                  one.allowed ? one.name : say("{method} (not for this product)", { method: one.name }),
                ] as const,
            ),
          ]}
          value={method_id}
          onChange={({ target }) => setMethod(target.value)}
        />
      )}
      {takes === "question" && (
        <SelectField
          label={say("What you ask for")}
          options={askable.map((one) => [one, sayName(changeCodes[one])] as const)}
          value={code}
          onChange={({ target }) => setCode(target.value as ChangeCode)}
        />
      )}
      {(takes === "note" || takes === "question") && (
        <TextArea
          id={id}
          label={takes === "question" ? say("Question") : say("Note")}
          hint={
            takes === "question"
              ? say("The prescriber reads it.")
              : `${sayName(asks ?? "")} ${say("Saved with your name.")}`
          }
          required={takes === "note" || code === "S"}
          maxLength={takes === "question" ? CHANGE_REASON_MOST_CHARACTERS : NOTE_CHARACTERS}
          rows={2}
          value={note}
          // The standard for messages to prescribers allows one line.
          onChange={({ target }) =>
            setNote(takes === "question" ? target.value.replaceAll(/[\r\n]+/g, " ") : target.value)
          }
        />
      )}
      <div className="row">
        <Button id={takes === "nothing" ? id : undefined} tone="primary" type="submit" busy={close.busy}>
          {sayName(name)}
        </Button>
      </div>
    </form>
  );
}
