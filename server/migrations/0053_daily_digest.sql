-- Staff who want an email each morning with the counts of the queues (ADR 0067), and the last day on which each got one.
alter table person add column daily_digest boolean not null default false;
alter table person add column digest_on date;
