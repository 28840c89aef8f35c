-- Staff find patients by last name or by date of birth (ADR 0068). Null: not computed yet. A job computes the hashes of
-- patients from before this migration.
alter table patient add column surname_index bytea;
alter table patient add column dob_index bytea;
create index patient_by_surname on patient (account_id, surname_index) where surname_index is not null;
create index patient_by_dob on patient (account_id, dob_index) where dob_index is not null;
create index patient_without_names on patient (account_id, patient_key) where surname_index is null;

-- In the collation "C", because the search asks for the names between two texts.
create index product_by_name on product (account_id, lower(name) collate "C");

-- No release has this function yet, so it takes further arguments under the same name.
drop function if exists save_intake;
