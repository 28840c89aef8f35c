import type { PharmacyVersion } from "../../domain/prescribers/pharmacy-message.ts";
import { type Queryable, sql, type Tx } from "../db.ts";

/** The vault's place for the secret that signs a sender's messages. */
export const routePlace = (account_id: string, sender: string) =>
  `prescriber_route.signing_secret_sealed ${account_id} ${sender}`;

export type PrescriberRoute = {
  account_id: string;
  sender: string;
  url: string;
  version: PharmacyVersion;
  sends_fills: boolean;
  sends_cancels: boolean;
};

const list = sql<[], PrescriberRoute>`
select account_id, sender, url, version, sends_fills, sends_cancels
from prescriber_route
order by account_id, sender`;
export const listPrescriberRoutes = (db: Queryable) => db.rows(list, []);

const save = sql<
  [
    account_id: string,
    sender: string,
    url: string,
    version: PharmacyVersion,
    sends_fills: boolean,
    sends_cancels: boolean,
    signing_secret_sealed: Buffer,
    now: Date,
  ]
>`
insert into prescriber_route (account_id, sender, url, version, sends_fills, sends_cancels, signing_secret_sealed, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (account_id, sender) do update
set url = excluded.url, version = excluded.version, sends_fills = excluded.sends_fills,
  sends_cancels = excluded.sends_cancels, signing_secret_sealed = excluded.signing_secret_sealed`;
/** Adds a route, or replaces the one of the same sender with its secret. */
export const savePrescriberRoute = (tx: Tx, route: PrescriberRoute & { signing_secret_sealed: Buffer }, now: Date) =>
  tx.run(save, [
    route.account_id,
    route.sender,
    route.url,
    route.version,
    route.sends_fills,
    route.sends_cancels,
    route.signing_secret_sealed,
    now,
  ]);

const drop = sql<[account_id: string, sender: string]>`
delete from prescriber_route
where account_id = $1 and sender = $2`;
/** Returns 0 if there is no such route. */
export const deletePrescriberRoute = (tx: Tx, account_id: string, sender: string) => tx.run(drop, [account_id, sender]);
