-- Each index adds to the cost of every entry. No statement reads this one.
drop index audit_entry_time;
-- Most entries are of programs, and only people are looked up here.
drop index audit_entry_of_person;
create index audit_entry_of_person on audit_entry (person_id, at) where person_id is not null;
