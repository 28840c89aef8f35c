-- One row per account. A database that is spread over several servers has a copy of `account` on each, but keeps the row of
-- `account_home` with the account's other rows, so each server visits its own accounts.
create table account_home (
  account_id text primary key references account (account_id)
);

insert into account_home (account_id)
select account_id
from account;

-- Statements that visit every account start here instead of in `account`.
create view each_account with (security_invoker = true) as
select h.account_id, a.partner_id, a.environment, a.workflow, a.ncpdp_id, a.clock_offset_s
from account_home h
join account a on a.account_id = h.account_id;

-- For builds that do not know the table: they insert accounts beside this one during an upgrade.
create function add_account_home() returns trigger
language plpgsql
as $$
begin
  insert into account_home (account_id)
  values (new.account_id)
  on conflict do nothing;
  return null;
end
$$;

create trigger account_has_home
after insert on account
for each row execute function add_account_home();
