import type { PortalErrorHint } from "@pestle/contract";
import { CodeText } from "../../ui/code-text.tsx";

/** What to do about an error: the field it is about, how to put it right, and where more is told. */
export const ErrorHint = ({ code, field, resolution }: PortalErrorHint) => (
  <p>
    {field !== null && (
      <>
        <code>{field}</code>{" "}
      </>
    )}
    <CodeText text={resolution} /> {/^\d{5}$/.test(code) && <a href={`/docs/errors#${code}`}>Cause and example</a>}
  </p>
);
