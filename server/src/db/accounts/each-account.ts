/**
 * Every account `a` with its clock, once for each row of `given`. A lateral subquery with a limit or a count may compare with
 * these columns on Citus too, which refuses columns of a table that every server has a copy of. The group hides where they
 * come from.
 */
export const eachClock = (given = "") => `(
  select e.account_id, min(e.partner_id) as partner_id, min(e.environment) as environment,
    min(e.clock_offset_s) as clock_offset_s${given}
  from each_account e
  group by e.account_id) a`;
