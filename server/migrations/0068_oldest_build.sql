-- The oldest build that can serve the database, by the newest migration that it knows, as each migration left it (ADR 0092). Almost
-- all leave it as it was. An older build whose newest migration is lower refuses to start.
alter table schema_migration add column oldest_build integer not null default 0;
