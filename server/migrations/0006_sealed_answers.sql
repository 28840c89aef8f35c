-- An answer kept for an Idempotency-Key may name a patient or an address, so it is sealed like those. What was kept until
-- now cannot be sealed here and is forgotten, which is what a key's 24 hours would do.
delete from idempotent_answer;
alter table idempotent_answer
  drop column body,
  add column body_sealed bytea not null,
  add column body_key_id integer generated always as (sealed_key_id(body_sealed)) stored references data_key;
