import type { LabelFormat } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../../app/problem.tsx";
import { useChange } from "../../../app/use-change.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { TextField } from "../../../ui/controls/field.tsx";
import { say } from "../../../ui/words/say.tsx";
import type { DoWork } from "../use-order.ts";

const formats: Readonly<Record<string, LabelFormat>> = { pdf: "PDF", png: "PNG", zpl: "ZPL" };

/** The label of the pharmacy's own software: its tracking number, typed or scanned, and its file if there is one. */
export function EnterLabel({ carrier, work }: { carrier: string; work: DoWork }) {
  const [tracking_no, setTrackingNo] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const save = useChange(async () => {
    const label = file === null ? null : { format: formatOf(file), data: await base64Of(file) };
    return work.run({ event: "print", entered: { tracking_no, label } });
  });
  return (
    <form
      className="stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <TextField
        label={say("Tracking number")}
        hint={say("Make the {carrier} label with your own software, then type or scan its number.", { carrier })}
        value={tracking_no}
        onChange={(event) => setTrackingNo(event.currentTarget.value)}
        required
      />
      <label className="stack-tight">
        <span>{say("Label file, if you want to print it here: PDF, PNG or ZPL")}</span>
        <input
          type="file"
          accept=".pdf,.png,.zpl"
          onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
        />
      </label>
      <div className="row">
        <Button tone="primary" type="submit" busy={save.busy || work.busy}>
          {say("Save tracking number")}
        </Button>
      </div>
      {save.error !== null && <Problem error={save.error} retry={() => void save.run()} />}
    </form>
  );
}

const formatOf = ({ name }: File): LabelFormat => formats[name.split(".").at(-1)!.toLowerCase()] ?? "PDF";

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
