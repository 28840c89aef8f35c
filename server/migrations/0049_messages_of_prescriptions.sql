-- For the pages that show the messages to the prescriber of a prescription, newest first (ADR 0063).
create index prescriber_message_by_prescription on prescriber_message (account_id, prescription_id, message_id)
  where prescription_id is not null;

-- Which messages the prescriber wants. `fill_reports` is null if the prescription's message named none.
alter table prescription add column prohibits_renewal boolean not null default false;
alter table prescription add column fill_reports text[]
  check (fill_reports <@ array['dispensed', 'partially_dispensed', 'not_dispensed', 'returned']);
