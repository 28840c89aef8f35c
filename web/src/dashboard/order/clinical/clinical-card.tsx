import type { ClinicalReview, DashboardOrder } from "@pestle/contract";
import { Loaded } from "../../../app/loaded.tsx";
import { useSignedIn } from "../../../app/sign-in/session.ts";
import { useApi } from "../../../app/use-api.ts";
import { Badge } from "../../../ui/badge.tsx";
import { counted } from "../../../ui/counted.ts";
import { Card } from "../../../ui/display/card.tsx";
import { Notice } from "../../../ui/display/notice.tsx";
import { say } from "../../../ui/words/say.tsx";
import { pharmacists } from "../../roles.ts";
import { FindingsCard } from "../findings-card.tsx";
import { orderApi } from "../use-order.ts";
import { ChecksTable } from "./checks-table.tsx";
import { DirectionsList } from "./directions-list.tsx";
import { FactsGrid } from "./facts-grid.tsx";
import { FillsTable } from "./fills-table.tsx";
import { FindingsList } from "./findings-list.tsx";
import { OverridesList } from "./overrides-list.tsx";
import { PatientStrip } from "./patient-strip.tsx";
import { QuestionButton } from "./question-dialog.tsx";

/**
 * What a pharmacist decides by, while the order is in review or on hold. Other roles and other stages see the findings of the
 * last check. The server audits each read.
 */
export function ClinicalCard({ page }: { page: DashboardOrder }) {
  const { role } = useSignedIn();
  const decides = page.state === "Processing/clinical_review" || page.order.order_status === "On Hold";
  return pharmacists.includes(role) && decides ? (
    <Review page={page} />
  ) : (
    <FindingsCard findings={page.findings} lines={page.lines} />
  );
}

function Review({ page }: { page: DashboardOrder }) {
  const { account_id, order } = page;
  const path = orderApi({ account_id, order_number: order.order_number });
  const query = useApi(`${path}/clinical`, { written_down: true });
  return (
    <Loaded query={query} lines={8}>
      {(review) => <Shown page={page} review={review} />}
    </Loaded>
  );
}

function Shown({ page, review }: { page: DashboardOrder; review: ClinicalReview }) {
  const { patient, facts, fills, more_fills, lines, findings, overrides, checks, tables_version } = review;
  return (
    <>
      <Card title={say("Clinical review")} actions={<QuestionButton page={page} />}>
        <div className="stack-tight">
          <PatientStrip patient={patient} />
          <FactsGrid facts={facts} fills={fills} />
          <DirectionsList lines={lines} />
        </div>
      </Card>
      {tables_version === null && (
        <Notice tone="bad" title={say("The safety tables are unusable")}>
          {say("Nothing was checked. Check allergies, interactions and doses by hand.")}
        </Notice>
      )}
      {findings.length + overrides.length > 0 && (
        <Card title={counted(findings.length, "finding")}>
          <div className="stack-tight">
            <FindingsList findings={findings} lines={lines} />
            <OverridesList overrides={overrides} />
          </div>
        </Card>
      )}
      <Card
        title={say("Safety checks")}
        flush
        actions={tables_version !== null && <Badge>{say("Tables {version}", { version: tables_version })}</Badge>}
      >
        <ChecksTable checks={checks} />
      </Card>
      {fills.length > 0 && (
        <Card
          title={say("Last fills")}
          flush
          actions={more_fills && <span className="small quiet">{say("Newest {count}", { count: fills.length })}</span>}
        >
          <FillsTable account_id={page.account_id} fills={fills} />
        </Card>
      )}
    </>
  );
}
