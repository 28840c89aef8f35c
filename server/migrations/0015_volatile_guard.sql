-- It raises, which is a side effect: as immutable, PostgreSQL was free to call it while planning, to call it once for
-- equal arguments, or not at all where its result is not needed. Volatile costs nothing here: the body is plpgsql, which
-- is never inlined, and statements that write are never parallel.
alter function conflict_unless(boolean) volatile;
