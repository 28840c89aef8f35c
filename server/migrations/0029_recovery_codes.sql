-- For a person who lost the second factor. Each code works once: its row goes with its use.
create table recovery_code (
  person_id text not null references person,
  code_hash bytea not null,
  primary key (person_id, code_hash)
);
