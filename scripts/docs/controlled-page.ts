import { countReasons, destructionReasons } from "@pestle/contract";
import { controlledRules } from "../../server/src/domain/fulfillment/controlled-rules.ts";
import { code, generated, page, table } from "./markdown.ts";

export function controlledPage() {
  return page(
    generated("`server/src/domain/fulfillment/controlled-rules.ts` and `contract/src/count-reasons.ts`"),
    "# Controlled substances\n",
    "You will know which rules about controlled substances Pestle enforces. This page lists the federal rules that Pestle enforces, with their sources. State law can be stricter: set `RX_SCHEDULE_2_DAYS_BY_STATE` and `RX_EXPIRY_MONTHS_BY_STATE`, and review both with your counsel. Pestle does not decide whether a prescription has a legitimate medical purpose (21 CFR 1306.04). That stays with the pharmacist.\n",
    "## The rules\n",
    table(
      ["schedules", "rule", "source", "how Pestle enforces it"],
      controlledRules.map(({ schedules, says, citation, enforced }) => [
        schedules.join(", "),
        says,
        citation,
        enforced,
      ]),
    ),
    "## Partial fills of schedule 2\n",
    "An order for less than the written quantity is a partial fill. The rest can ship for 72 hours after the first part. If the patient or the prescriber requested the partial fill, a pharmacist records it with `pestle rx partial PRESCRIPTION --requested-by patient|prescriber`, and the rest can ship until 30 days after the written date. Afterwards a new order gets 42257, and the patient needs a new prescription. If the rest cannot ship within the 72 hours, notify the prescriber.\n",
    "Partial fills for long-term care and terminal illness (60 days) and emergency oral prescriptions are not supported.\n",
    "## Reports to state programs\n",
    "`pestle report controlled` writes ASAP 4.2B. It reports parts of a fill in DSP13 (01, 02 and so on) with the same refill number, never as refills, and writes a zero report for days or a state (`--state`) without fills. `pestle report correct` revises (DSP01 = 01) or voids (02) the fills of an order. With `--record`, Pestle remembers period, kind and SHA-256 of the file. `pestle report list` shows the recorded reports, and `pestle report mark` records whether you submitted a report and whether the program accepted it.\n",
    "## Inventory\n",
    "Every change of the stock is an entry in the ledger of its product. `pestle stock count` records a physical count. For a controlled substance, a pharmacist must count. If the count differs from the ledger, the count needs a coded reason and a note of at least ten characters, or Pestle refuses it. `pestle stock counts` lists them. `pestle doctor` and System health warn when the last count of a controlled product in production is more than two years old. A file import can record only the initial inventory of a controlled product.\n",
    table(
      ["reason", "meaning", "also required"],
      Object.entries(countReasons).map(([reason, { says, also }]) => [code(reason), says, also ?? "-"]),
    ),
    "## Returns and destruction\n",
    "`pestle stock return` books the units of a parcel that came back. They do not go back to the shelf. `pestle stock destroy` records destroyed units with their lot and one of these reasons. For a controlled substance, a pharmacist destroys them, another member of the staff is the witness, and the note has at least ten characters. The entry in the ledger names both.\n",
    table(
      ["reason", "meaning", "also required"],
      Object.entries(destructionReasons).map(([reason, { says, also }]) => [code(reason), says, also]),
    ),
  );
}
