import {
  type CatalogueImportAnswer,
  type CatalogueImportKind,
  type CatalogueImportRequest,
  catalogueImportKinds,
  type DashboardAccount,
} from "@pestle/contract";
import { type DragEvent, type FormEvent, useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField, SelectField, TextArea } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { AccountSelect, useChosenAccount } from "../accounts.tsx";
import styles from "./catalogue-screen.module.css";
import { ImportDifference } from "./import-difference.tsx";
import { kindNames, PASTED, sourceText } from "./kind-names.ts";

type File = { text: string; source: string };

/** Imports a file in two steps: preview the changes, then apply all of them or none. */
export function ImportScreen() {
  const [account] = useChosenAccount();
  // Another environment starts with an empty form, so that a file for one is never applied to the other.
  return <Import key={account?.environment} account={account} />;
}

function Import({ account }: { account: DashboardAccount | undefined }) {
  const [filters, change] = useFilters();
  const kind = catalogueImportKinds.find((one) => one === filters["kind"]) ?? "products";
  const [file, setFile] = useState<File>({ text: "", source: PASTED });
  const [partial, setPartial] = useState(false);
  const [seen, setSeen] = useState<CatalogueImportAnswer | null>(null);
  const path =
    kind === "licences"
      ? (`/dashboard/licences/${account?.environment}` as const)
      : (`/dashboard/catalogue/${account?.account_id}` as const);
  const asked: CatalogueImportRequest = { kind, ...file, partial };
  const look = useChange(() => api(`${path}/import`, { method: "POST", body: { ...asked, dry_run: true } }), {
    after: setSeen,
  });
  const apply = useChange(
    ({ added, changed, retired, unchanged }: CatalogueImportAnswer) => {
      const body: CatalogueImportRequest = { ...asked, agreed: { added, changed, retired, unchanged } };
      return api(`${path}/import`, { method: "POST", body });
    },
    {
      reads: ["/dashboard/licences", "/dashboard/catalogue", "/dashboard/stock", "/dashboard/accounts"],
      after: (answer) => {
        if (answer.version === null) setSeen(answer);
        else {
          toast(say("Imported: version {version}.", { version: answer.version }));
          setSeen(null);
          setFile({ text: "", source: PASTED });
        }
      },
    },
  );
  /** Discards a preview of another file, account or kind. */
  const discardPreview = () => {
    setSeen(null);
    apply.forget();
  };
  const take = async (list: FileList | null) => {
    const given = list?.[0];
    if (given === undefined) return;
    discardPreview();
    setFile({ text: await given.text(), source: given.name });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void take(event.dataTransfer.files);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    discardPreview();
    void look.run();
  };
  return (
    <Page
      title={say("Import")}
      heading={
        <span className="row">
          {say("Import")} {account && <EnvironmentBadge environment={account.environment} />}
        </span>
      }
      about={sayWith("{link} · all changes apply together, or none do", {
        link: <Link to="/catalogue">{say("Catalogue")}</Link>,
      })}
      actions={
        <span onChange={discardPreview}>
          <AccountSelect />
        </span>
      }
    >
      <div className={styles["import"]}>
        <Card title={say("1. Choose a file")}>
          <form
            className={`stack-tight ${styles["form"]}`}
            onSubmit={submit}
            onDragOver={(event) => event.preventDefault()}
            onDrop={drop}
          >
            <SelectField
              label={say("Type")}
              options={catalogueImportKinds.map((one) => [one, kindNames[one]] as const)}
              value={kind}
              onChange={(event) => {
                discardPreview();
                change({ kind: event.target.value as CatalogueImportKind });
              }}
            />
            <label className={styles["file"]}>
              <span>{say("Choose a file or drop it here")}</span>
              <input
                type="file"
                accept=".csv,.json,text/csv,application/json"
                onChange={(event) => void take(event.target.files)}
              />
            </label>
            <TextArea
              label={say("Contents")}
              hint={say("CSV with a header row, or a JSON array. Source: {source}.", {
                source: sourceText(file.source),
              })}
              required
              rows={8}
              spellCheck={false}
              value={file.text}
              onChange={(event) => {
                discardPreview();
                setFile({ text: event.target.value, source: file.text === "" ? PASTED : file.source });
              }}
            />
            {kind !== "stock" && (
              <CheckField
                label={say("Partial import")}
                hint={say(
                  "Keep rows that are not in the file. Otherwise they are retired and partners can no longer order them.",
                )}
                checked={partial}
                onChange={(event) => {
                  discardPreview();
                  setPartial(event.target.checked);
                }}
              />
            )}
            <div className="row">
              <Button tone="primary" type="submit" busy={look.busy}>
                {say("Preview changes")}
              </Button>
            </div>
            {look.error !== null && <Problem error={look.error} />}
          </form>
        </Card>
        <Card title={say("2. Review changes")}>
          {seen === null ? (
            <p className="quiet">{say("Preview the changes first. Nothing is imported until you confirm.")}</p>
          ) : (
            <ImportDifference seen={seen} busy={apply.busy} onApply={() => void apply.run(seen)} />
          )}
          {apply.error !== null && <Problem error={apply.error} />}
        </Card>
      </div>
    </Page>
  );
}
