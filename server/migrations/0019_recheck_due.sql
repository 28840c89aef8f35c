-- The patient's safety facts changed, and the checks have not run on all open orders since. The mark is set with the change,
-- so that a job finishes the work of a process that died after the commit.
alter table patient add column recheck_due boolean not null default false;
create index patient_recheck_due on patient (account_id, patient_id) where recheck_due;
