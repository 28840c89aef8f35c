import type { PortalRequest } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useParam } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { ErrorHint } from "./error-hint.tsx";
import { durationText, StatusCode } from "./status-code.tsx";

/** One request, its result and how to fix its errors. */
export function RequestScreen() {
  const { api_base, link_base } = usePortal();
  const request_id = useParam("request_id");
  const request = useApi(`${api_base}/requests/${encodeURIComponent(request_id)}`);
  const base_url = useApi(`${api_base}/home`).data?.addresses.base_url ?? "";
  return (
    <Page
      title={say("Request")}
      actions={
        <Link to={`${link_base}/requests`} search={{} as never}>
          {say("All requests")}
        </Link>
      }
    >
      <Loaded query={request}>
        {({ at, method, route, status, duration_ms, credential_id, credential_name, errors, body }) => (
          <>
            <Card title={<span className="mono">{`${method} ${route}`}</span>}>
              <Facts
                facts={[
                  [say("Request ID"), <Copyable key="id" text={request_id} label={say("request ID")} />],
                  [say("Status"), <StatusCode key="status" status={status} />],
                  [say("Time"), <When key="at" at={at} seconds />],
                  [say("Duration"), durationText(duration_ms)],
                  [
                    say("Credential"),
                    <span key="credential">
                      {credential_name} <span className="mono quiet">{credential_id}</span>
                    </span>,
                  ],
                ]}
              />
            </Card>
            <Card title={say("Send it again")}>
              <div className="stack-tight">
                <p className="quiet">
                  {sayWith(
                    "Pestle stores neither tokens nor patient data. Put yours in the places of {token}, {id} and {file}.",
                    { token: <code>$TOKEN</code>, id: <code>{"{…}"}</code>, file: <code>body.json</code> },
                  )}
                </p>
                <Copyable block text={curlCommand(base_url, method, route)} label={say("curl command")} />
              </div>
            </Card>
            {body !== null && (
              <Card title={say("Body")}>
                <div className="stack-tight">
                  <p className="quiet">
                    {say(
                      "The fields that you sent. Most values are replaced by their shape, because they can be patient data.",
                    )}
                  </p>
                  <Copyable block text={body} label={say("body")} />
                </div>
              </Card>
            )}
            {errors.map((error) => (
              <Card key={error.code} title={<ErrorTitle {...error} />}>
                <ErrorHint {...error} />
              </Card>
            ))}
            {errors.length === 0 && <Notice tone="good" title={say("This request succeeded.")} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The request as a command, with placeholders for what the log does not have. */
const curlCommand = (base_url: string, method: string, route: string): string =>
  [
    `curl -sS ${method === "GET" ? "" : `-X ${method} `}"${base_url}${route}"`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H "Accept: application/json"`,
    ...(method === "GET" || method === "DELETE" ? [] : [`-H "Content-Type: application/json"`, "-d @body.json"]),
    ...(method === "POST" ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
  ].join(" \\\n  ");

const ErrorTitle = ({ code, title }: PortalRequest["errors"][number]) => (
  <span className="row">
    <code>{code}</code> <span lang="en">{title}</span>
  </span>
);
