-- What the service knew when it raised the exception and what takes actions away: the order names another patient, or the
-- address validator has no suggestion. An exception from before this migration has none and keeps all of its actions.
alter table order_exception add column situations text[] not null default '{}';
