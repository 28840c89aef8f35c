-- A sealed value begins with the id of the data key that seals it. Told to the database, the id becomes a reference:
-- a key that any value needs cannot be deleted, and a process that has not heard of a rotation cannot seal with a key
-- that is gone. Every column <name>_sealed has such a companion <name>_key_id.

create function sealed_key_id(sealed bytea) returns integer
language sql immutable strict parallel safe
return (get_byte(sealed, 0) << 24) | (get_byte(sealed, 1) << 16) | (get_byte(sealed, 2) << 8) | get_byte(sealed, 3);

alter table credential_secret
  add column digest_key_id integer generated always as (sealed_key_id(digest_sealed)) stored references data_key;
