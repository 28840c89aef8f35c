-- The tables of people whom several partners know, for a database that is spread over several servers. A copy of
-- `person_link` is on each, and such a table cannot refer to a patient. Patients are never deleted, so no link outlives its
-- patient.
alter table person_link drop constraint person_link_account_id_patient_key_fkey;

-- Rows stay with the account's other rows, so the key begins with the account.
alter table person_due drop constraint person_due_pkey;
-- wider: the sequence gives each row its number, so no row is refused that was not refused before
alter table person_due add primary key (account_id, person_due_id);
create index person_due_oldest on person_due (person_due_id);
