import type { PortalErrorHint } from "@pestle/contract";
import { CodeText } from "../../ui/code-text.tsx";
import { say, sayName } from "../../ui/words/say.tsx";

/** How to fix an error: the field, the resolution and a link to the docs. */
export const ErrorHint = ({ code, field, resolution }: PortalErrorHint) => (
  <p>
    {field !== null && (
      <>
        <code>{field}</code>{" "}
      </>
    )}
    <CodeText text={sayName(resolution)} />{" "}
    {/^\d{5}$/.test(code) && <a href={`/docs/errors#${code}`}>{say("Cause and example")}</a>}
  </p>
);
