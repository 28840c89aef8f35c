-- The id that a partner uses for a patient can be a clinic's record number. The patient's row stores it once, sealed, with a
-- blind index to find it. All other tables use the surrogate key. The next start seals the ids of earlier versions. It also
-- seals the records again, because a record's seal now includes the key.

-- Kept for a day at most, and their key is a path with the id.
delete from idempotent_answer where path like '%/patients/%';

alter table patient alter column patient_key drop identity;
alter table patient add column id_sealed bytea;
alter table patient
  add column id_key_id integer generated always as (sealed_key_id(id_sealed)) stored references data_key;
alter table patient add column id_index bytea;

alter table orders add column patient_key bigint;
alter table order_item add column patient_key bigint;
alter table prescription add column patient_key bigint;
alter table patient_alias add column patient_key bigint;
alter table person_link add column patient_key bigint;
alter table person_due add column patient_key bigint;
alter table review add column patient_key bigint;

-- Entries about searches named the patient by the partner's id.
update audit_entry a set subject = null, patient_keys = array[p.patient_key]
from patient p
where a.action in ('patient_found', 'order_found') and p.account_id = a.account_id and p.patient_id = a.subject
  -- Entries in the tree cannot change.
  and not exists (select from audit_leaf l where l.audit_id = a.audit_id);

alter table orders drop constraint orders_account_id_patient_id_fkey;
alter table prescription drop constraint prescription_account_id_patient_id_fkey;
alter table patient_alias drop constraint patient_alias_account_id_patient_id_fkey;
alter table person_link drop constraint person_link_account_id_patient_id_fkey;
alter table person_link drop constraint person_link_pkey;
alter table orders alter column patient_id drop not null;
alter table order_item alter column patient_id drop not null;
alter table prescription alter column patient_id drop not null;
alter table patient_alias alter column patient_id drop not null;
alter table person_link alter column patient_id drop not null;
alter table person_due alter column patient_id drop not null;

-- A dropped column stays in its rows until they are written again, so each is emptied first.
update orders t set patient_key = p.patient_key, patient_id = null
from patient p where p.account_id = t.account_id and p.patient_id = t.patient_id;
update order_item t set patient_key = p.patient_key, patient_id = null
from patient p where p.account_id = t.account_id and p.patient_id = t.patient_id;
update prescription t set patient_key = p.patient_key, patient_id = null
from patient p where p.account_id = t.account_id and p.patient_id = t.patient_id;
update patient_alias t set patient_key = p.patient_key, patient_id = null
from patient p where p.account_id = t.account_id and p.patient_id = t.patient_id;
update person_link t set patient_key = p.patient_key, patient_id = null
from patient p where p.account_id = t.account_id and p.patient_id = t.patient_id;
update person_due t set patient_key = p.patient_key, patient_id = null
from patient p where p.account_id = t.account_id and p.patient_id = t.patient_id;
delete from person_due where patient_key is null;
update review t set patient_key = p.patient_key
from patient p where p.account_id = t.account_id and p.patient_id = t.patient_id;
update review set patient_id = null where patient_id is not null;
-- The body of an event names its patient too.
update webhook_event set patient_id = null where patient_id is not null;

alter table orders drop column patient_id, alter column patient_key set not null;
alter table order_item drop column patient_id, alter column patient_key set not null;
alter table prescription drop column patient_id, alter column patient_key set not null;
alter table patient_alias drop column patient_id, alter column patient_key set not null;
alter table person_link drop column patient_id, alter column patient_key set not null;
alter table person_due drop column patient_id, alter column patient_key set not null;
alter table review drop column patient_id;
alter table webhook_event drop column patient_id;

drop index patient_recheck_due;
drop index patient_without_keys;
alter table patient drop constraint patient_pkey;
alter table patient alter column patient_id drop not null;
alter table patient add constraint patient_pkey primary key using index patient_key;
alter table patient add constraint patient_id check (patient_id is not null or (id_sealed is not null and id_index is not null));
create unique index patient_by_id on patient (account_id, id_index);
create index patient_unsealed on patient (account_id, patient_key) where patient_id is not null;
create index patient_recheck_due on patient (account_id, patient_key) where recheck_due;
create index patient_without_keys on patient (account_id, patient_key) where person_keys is null;

alter table orders add foreign key (account_id, patient_key) references patient;
create index orders_of_patient on orders (account_id, patient_key, order_position);
alter table prescription add foreign key (account_id, patient_key) references patient;
create index prescription_of_patient on prescription (account_id, patient_key, prescription_id);
alter table patient_alias add foreign key (account_id, patient_key) references patient;
create index patient_alias_of on patient_alias (account_id, patient_key);
alter table person_link add primary key (environment, person_key, account_id, patient_key);
alter table person_link add foreign key (account_id, patient_key) references patient on delete cascade;
create index person_link_of_patient on person_link (account_id, patient_key);
create unique index order_item_alone on order_item (account_id, patient_key, gcn) where pending and alone;
create index order_item_missing_rx on order_item (account_id, patient_key)
  where pending and needs_prescription and prescription_id is null;
create index order_item_pending on order_item (account_id, patient_key) where pending;
create index order_item_taken on order_item (account_id, patient_key, supply_ends_at) where supply_ends_at is not null;

create or replace function link_person() returns trigger
language plpgsql
as $$
begin
  delete from person_link l
  where l.account_id = new.account_id and l.patient_key = new.patient_key and not l.person_key = any(new.person_keys);
  insert into person_link (environment, person_key, account_id, patient_key)
  select a.environment, k.person_key, new.account_id, new.patient_key
  from account a, unnest(new.person_keys) as k(person_key)
  where a.account_id = new.account_id
  order by k.person_key
  on conflict do nothing;
  return null;
end
$$;

create or replace function recheck_person() returns trigger
language plpgsql
as $$
begin
  if exists (
    select
    from person_link own
    join person_link other on other.environment = own.environment and other.person_key = own.person_key
      and other.account_id <> own.account_id
    where own.account_id = new.account_id and own.patient_key = new.patient_key)
  then
    insert into person_due (account_id, patient_key) values (new.account_id, new.patient_key);
  end if;
  return null;
end
$$;
