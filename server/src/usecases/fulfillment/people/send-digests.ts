import type { DigestSetting } from "@pestle/contract";
import { claimDigest, findDigest, setDigest } from "../../../db/accounts/digests.ts";
import type { Deps } from "../../../deps.ts";
import { DIGEST_TIME, digestLetter } from "../../../domain/operations/digest-letter.ts";
import { dateIn, timeIn } from "../../../domain/values/calendar.ts";
import { postLetter } from "../../operations/letters/post-letter.ts";
import { readHome } from "../../operations/read-home.ts";

/** Mails the morning's counts to the staff who asked for them, once a day. */
export async function sendDigests(deps: Deps): Promise<void> {
  const { mail, config, db, addresses } = deps;
  const now = deps.now();
  if (mail === null || timeIn(config.TIME_ZONE, now) < DIGEST_TIME) return;
  const date = dateIn(config.TIME_ZONE, now);
  for (let next = await claimDigest(db, date); next !== undefined; next = await claimDigest(db, date)) {
    const home = (await readHome(deps))("production", next.person_id);
    const about = { pharmacy: config.OPERATOR_NAME, dashboard: `${addresses.base_url}/dashboard`, date };
    await postLetter(deps, { to: next.email, ...digestLetter(home, about) });
  }
}

export const readDigest = async (deps: Pick<Deps, "db" | "mail">, person_id: string): Promise<DigestSetting> => ({
  daily_digest: await findDigest(deps.db, person_id),
  mail: deps.mail !== null,
});

export async function chooseDigest(deps: Deps, person_id: string, daily_digest: boolean): Promise<DigestSetting> {
  await setDigest(deps.db, person_id, daily_digest, dateIn(deps.config.TIME_ZONE, deps.now()));
  return readDigest(deps, person_id);
}
