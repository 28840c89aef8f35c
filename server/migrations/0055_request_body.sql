-- The body of a rejected request without the data of people (domain/operations/redact-body.ts), for the portal.
alter table request_log
  add column body text check (char_length(body) <= 2002);
