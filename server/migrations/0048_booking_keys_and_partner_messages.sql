-- A fee or a credit has a key of the person who books it, so that a repeated command books it once (ADR 0058). It is unique
-- for the account, and not for a month: a command that is repeated after midnight must find its line too. Lines of payments
-- have none; neither have fees and credits of earlier builds.
alter table money_entry add column booking_key text check (booking_key is null or kind in ('fee', 'credit'));
create unique index money_entry_by_key on money_entry (account_id, booking_key) where booking_key is not null;

-- For the dashboard's list of orders whose partner wrote last.
create index order_message_from_partner on order_message (account_id, created_at) where author = 'partner';
