-- The day of the order, placed by someone else, that a schedule followed. If that order is canceled, the schedule moves back.
alter table refill_schedule add column followed_on date;
