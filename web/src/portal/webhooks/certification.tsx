import {
  type CertifiedCheck,
  type CertifyFinding,
  type CertifyReport,
  certifyFindings,
  type ReceiverCheck,
  receiverChecks,
} from "@pestle/contract";
import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { Table } from "../../ui/display/table.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { When } from "../../ui/time.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

const LOOK_EVERY_MS = 3_000;

/** Certifies the endpoint, and shows the last report with advice. */
export function Certification({ endpoint_id, active }: { endpoint_id: string; active: boolean }) {
  const { api_base, may_change } = usePortal();
  const path = `${api_base}/webhook_endpoints/${endpoint_id}/certification` as const;
  const certification = useApi(path, { refetch_ms: LOOK_EVERY_MS });
  const start = useChange(() => api(path, { method: "POST" }), { reads: [path] });
  const running = certification.data?.running ?? false;
  return (
    <Card
      title={say("Certification")}
      actions={
        may_change &&
        active && (
          <Button busy={start.busy || running} onClick={() => void start.run()}>
            {say("Certify this endpoint")}
          </Button>
        )
      }
    >
      {start.error !== null && <Problem error={start.error} />}
      <Loaded query={certification} lines={2}>
        {({ report }) => (
          <>
            <p role="status">{running && say("Sending deliveries to your endpoint. This takes up to a minute.")}</p>
            {report === null ? (
              <p className="quiet">
                {say(
                  "Sends correct, repeated, late and forged deliveries with made-up events, and checks how your endpoint answers.",
                )}
              </p>
            ) : (
              <Report report={report} />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Report({ report }: { report: CertifyReport }) {
  const { checks, passed, at } = report;
  const count = checks.filter(({ result }) => result === "passed").length;
  const failed = checks.filter(({ result }) => result === "failed");
  return (
    <>
      <Notice
        tone={passed ? "good" : "bad"}
        title={passed ? say("This endpoint is certified.") : say("This endpoint is not certified.")}
        actions={
          <Button
            small
            onClick={() => saveFile("certify-report.json", new Blob([`${JSON.stringify(report, null, 2)}\n`]))}
          >
            {say("Download signed report")}
          </Button>
        }
      >
        {sayWith("{count} of {all} checks passed, {when}. Only the answers were checked.", {
          count,
          all: checks.length,
          when: <When at={at} />,
        })}
      </Notice>
      {!passed && (
        <Table
          caption={say("Failed checks")}
          rows={failed}
          rowKey={({ name }) => name}
          columns={[
            { title: say("Pestle sent"), cell: ({ name }) => sayName(receiverChecks[name as ReceiverCheck].sends) },
            { title: say("Found"), cell: ({ finding }) => finding && findingText(finding) },
            {
              title: say("What to do"),
              cell: ({ name, finding }) => finding && sayName(receiverChecks[name as ReceiverCheck].advice),
            },
          ]}
        />
      )}
    </>
  );
}

const findingText = ({ code, status }: NonNullable<CertifiedCheck["finding"]>) =>
  sayName(certifyFindings[code as CertifyFinding]).replace("{status}", String(status));
