import type { CounselingFill, CounselingRequest } from "@pestle/contract";
import { counselingNotePlace, insertCounseling, loadCounseling } from "../../../db/fulfillment/counseling.ts";
import type { Deps } from "../../../deps.ts";
import { decideCounseling } from "../../../domain/fulfillment/counseling.ts";
import { accountNow } from "../../../domain/values/account-clock.ts";
import { StatusRefusal } from "../../../domain/values/refusals.ts";
import { checkedNote } from "../../operations/checked-note.ts";
import { writeAudit } from "../../operations/write-audit.ts";
import { write } from "../../write.ts";
import type { Worker } from "../steps.ts";
import { WorkRefusal } from "../work-refusal.ts";
import { counselingFill } from "./counseling-fill.ts";

/** A shipped item of an order. */
export type FillPlace = { account_id: string; order_number: string; item_id: number };

/** A pharmacist records an offer, counseling or a refusal. If a colleague records something first, it is refused as stale. */
export const recordCounseling = (
  deps: Deps,
  by: Worker,
  { account_id, order_number, item_id }: FillPlace,
  asked: CounselingRequest,
  request_id: string,
): Promise<CounselingFill> =>
  write(deps, {
    prepare: () => (asked.note === undefined ? null : checkedNote(asked.note)),
    attempt: async (tx, note) => {
      const fill = await loadCounseling(tx, account_id, order_number, item_id);
      if (fill === undefined) throw new StatusRefusal(404);
      const decided = decideCounseling(
        asked,
        fill.entries.map(({ outcome }) => outcome),
        by,
      );
      if ("refused" in decided) throw new WorkRefusal(decided.refused);
      const { entry_number } = decided;
      const place = counselingNotePlace(account_id, order_number, item_id, entry_number);
      const { outcome, how } = asked;
      const saved = await insertCounseling(tx, {
        ...{ account_id, order_number, item_id, entry_number, outcome, how },
        at: accountNow(deps.now(), fill.clock_offset_s),
        person_id: by.person_id,
        license_number: by.license!,
        note_sealed: note === null ? null : deps.vault.seal(Buffer.from(note), place),
      });
      if (saved === 0) throw new WorkRefusal("stale");
      const about = { account_id, subject: order_number, patient_keys: [fill.patient_key] };
      await writeAudit({ db: tx, now: deps.now }, by, { ...about, action: "counseling_recorded" }, request_id);
      return counselingFill(deps, (await loadCounseling(tx, account_id, order_number, item_id))!);
    },
  });
