-- The request of a partner that caused a row of the history. It is null for everyone else, and for earlier rows.
alter table order_history
  add column request_id uuid;
