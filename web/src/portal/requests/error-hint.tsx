import type { PortalErrorHint } from "@pestle/contract";
import { CodeText } from "../../ui/code-text.tsx";

/** What to do about an error: the field it is about, and how to put it right. */
export const ErrorHint = ({ field, resolution }: PortalErrorHint) => (
  <p>
    {field !== null && (
      <>
        <code>{field}</code>{" "}
      </>
    )}
    <CodeText text={resolution} />
  </p>
);
