-- Answers to messages, the facts of a review and the note of a partial fill can name patients and treatment. No statement
-- decides by them, so they are sealed (ADR 0040). The clear columns stay for rows of earlier versions, which the next start
-- seals.

alter table intake_message add column answer_sealed bytea;
alter table intake_message
  add column answer_key_id integer generated always as (sealed_key_id(answer_sealed)) stored references data_key;
alter table intake_message drop constraint intake_message_check;
alter table intake_message
  add constraint intake_message_answer check ((state = 'processed') = (answer is not null or answer_sealed is not null));
create index intake_message_unsealed on intake_message (account_id, sender, sender_message_id) where answer is not null;

alter table review alter column facts drop not null;
alter table review alter column facts drop default;
update review set facts = null where facts = '{}';
alter table review add column facts_sealed bytea;
alter table review
  add column facts_key_id integer generated always as (sealed_key_id(facts_sealed)) stored references data_key;
create index review_unsealed on review (account_id, review_id) where facts is not null;

alter table partial_fill_request alter column note drop not null;
alter table partial_fill_request add column note_sealed bytea;
alter table partial_fill_request
  add column note_key_id integer generated always as (sealed_key_id(note_sealed)) stored references data_key;
alter table partial_fill_request
  add constraint partial_fill_request_note check (note is not null or note_sealed is not null);
create index partial_fill_request_unsealed on partial_fill_request (account_id, prescription_id) where note is not null;
