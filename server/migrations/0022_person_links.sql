-- Which patients of different accounts are one person, for safety only. Each key is a blind index over facts that make a
-- strict match, so two patients are one person if they share a key. The table belongs to no tenant, because its purpose is
-- to look across tenants. The environment leads the key: sandbox and production never meet.
create table person_link (
  environment text not null,
  person_key bytea not null,
  account_id text not null,
  patient_id text not null,
  primary key (environment, person_key, account_id, patient_id),
  foreign key (account_id, patient_id) references patient on delete cascade
);
create index person_link_of_patient on person_link (account_id, patient_id);

-- Patients whose person must be checked again at all partners. Rows are only added and deleted, so that two orders of one
-- patient never wait for each other here.
create table person_due (
  person_due_id bigint generated always as identity primary key,
  account_id text not null,
  patient_id text not null
);

-- Null: not computed yet. A job computes the keys of patients from before this migration.
alter table patient add column person_keys bytea[];
create index patient_without_keys on patient (account_id, patient_id) where person_keys is null;

-- The exception rests on another partner's data alone, so its message must not say more.
alter table order_exception add column elsewhere boolean not null default false;

create function link_person() returns trigger
language plpgsql
as $$
begin
  delete from person_link l
  where l.account_id = new.account_id and l.patient_id = new.patient_id and not l.person_key = any(new.person_keys);
  insert into person_link (environment, person_key, account_id, patient_id)
  select a.environment, k.person_key, new.account_id, new.patient_id
  from account a, unnest(new.person_keys) as k(person_key)
  where a.account_id = new.account_id
  order by k.person_key
  on conflict do nothing;
  return null;
end
$$;
-- A restore brings the links with it.
create trigger patient_added_link after insert on patient
for each row when (new.person_keys is not null and coalesce(current_setting('pestle.copying', true), '') <> 'on')
execute function link_person();
create trigger patient_changed_link after update of person_keys on patient
for each row when (new.person_keys is not null and new.person_keys is distinct from old.person_keys)
execute function link_person();

-- Fires after the trigger above, because triggers fire in the order of their names.
create function recheck_person() returns trigger
language plpgsql
as $$
begin
  if exists (
    select
    from person_link own
    join person_link other on other.environment = own.environment and other.person_key = own.person_key
      and other.account_id <> own.account_id
    where own.account_id = new.account_id and own.patient_id = new.patient_id)
  then
    insert into person_due (account_id, patient_id) values (new.account_id, new.patient_id);
  end if;
  return null;
end
$$;
create trigger patient_added_recheck after insert on patient
for each row when (new.person_keys is not null and coalesce(current_setting('pestle.copying', true), '') <> 'on')
execute function recheck_person();
create trigger patient_changed_recheck after update of revision, person_keys on patient
for each row when (new.person_keys is not null) execute function recheck_person();
create trigger order_opened_recheck after insert on orders
for each row when (coalesce(current_setting('pestle.copying', true), '') <> 'on') execute function recheck_person();
create trigger order_shipped_recheck after update of order_status on orders
for each row when (new.order_status = 'Shipped' and old.order_status <> 'Shipped') execute function recheck_person();
