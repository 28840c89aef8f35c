import { type Paper, type PrintedDocuments, papers, printedDocuments } from "@pestle/contract";
import { useState } from "react";
import { Button } from "../ui/controls/button.tsx";
import { SelectField } from "../ui/controls/field.tsx";
import { Dialog } from "../ui/display/dialog.tsx";
import { say } from "../ui/words/say.tsx";
import { documentNames, keepStation, paperNames, useStation } from "./print-station.ts";

/** What this computer prints, and on which paper. */
export function StationDialog({ onClose }: { onClose: () => void }) {
  const [station, setStation] = useState(useStation());
  const save = () => {
    keepStation(station);
    onClose();
  };
  const paper = papers.map((one) => [one, paperNames[one]] as const);
  return (
    <Dialog
      title={say("Print settings")}
      onClose={onClose}
      onSubmit={save}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit">
            {say("Save")}
          </Button>
        </>
      }
    >
      <p className="quiet">{say("These settings are for this browser. Every packing station has its own.")}</p>
      <SelectField
        label={say("Print")}
        autoFocus
        options={printedDocuments.map((one) => [one, documentNames[one]] as const)}
        value={station.documents}
        onChange={({ target }) => setStation({ ...station, documents: target.value as PrintedDocuments })}
      />
      <SelectField
        label={say("Labels on")}
        options={paper}
        value={station.label_paper}
        onChange={({ target }) => setStation({ ...station, label_paper: target.value as Paper })}
      />
      <SelectField
        label={say("Slips on")}
        options={paper}
        value={station.slip_paper}
        onChange={({ target }) => setStation({ ...station, slip_paper: target.value as Paper })}
      />
    </Dialog>
  );
}
