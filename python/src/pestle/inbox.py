"""Works through each event once, however often it arrives, and notices missing changes of an order."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional, Protocol, cast

from .models import WebhookEvent

# More changes than any order has. Bounds memory if a sandbox event carries a made-up number.
MOST_MISSING = 1_000


class Heard(NamedTuple):
    """The changes of one order received so far: all up to `highest` except those in `missing`."""

    highest: int
    missing: tuple[int, ...]


class Gap(NamedTuple):
    """Changes of an order that have not arrived yet."""

    order_number: str
    missing: tuple[int, ...]


@dataclass(frozen=True)
class EventFacts:
    """What the inbox knows about an event."""

    late: bool
    """A newer change of this order was processed earlier: do not overwrite it."""
    missing: tuple[int, ...]
    """The changes of this order that have not arrived yet."""
    context: Any
    """What the store passes to the work: the connection of a `SqliteStore`, in the transaction that records the event."""


class Store(Protocol):
    """Where the inbox records events. Your own store survives restarts and can serve several processes."""

    def once(self, event_id: str, work: Callable[[Any], None]) -> bool:
        """Runs `work` unless this event was processed before, and records the event only if `work` succeeds. A concurrent
        call for the same event waits for the first. Returns whether `work` ran. Passes a context to `work`."""

    def hear(self, order_number: str, change: Callable[[Optional[Heard]], Heard], context: Any) -> None:
        """Updates the known changes of an order. Called within `work`, and takes effect only if `work` succeeds."""


Work = Callable[[Any, EventFacts], None]


class Inbox:
    """Processes each event once. Does not record an event whose handler fails, so that a redelivery processes it."""

    def __init__(
        self,
        on: Optional[Mapping[str, Work]] = None,
        *,
        otherwise: Optional[Work] = None,
        on_gap: Optional[Callable[[Gap], None]] = None,
        on_test: Optional[Callable[[Any], None]] = None,
        store: Optional[Store] = None,
    ) -> None:
        """
        :param on: The handler for each type of event.
        :param otherwise: The handler for all other types, also for types newer than this package. Without it, the inbox
            only records them.
        :param on_gap: Changes of an order are missing: fetch them from the feed, or wait, because they may still arrive.
        :param on_test: A sample that you sent with `test_webhook_endpoint`. Its data is made up, so no other handler runs.
        :param store: By default, the memory of this process.
        """
        self._on = dict(on or {})
        self._otherwise = otherwise
        self._on_gap = on_gap
        self._on_test = on_test
        self._store: Store = store if store is not None else MemoryStore()

    def take(self, event: WebhookEvent) -> str:
        """Processes an event from any source: a verified delivery or the feed. Returns `worked`, `duplicate` or `test`."""
        given = cast("dict[str, Any]", event)
        if given.get("test") is True:
            if self._on_test is not None:
                self._on_test(event)
            return "test"
        gaps: list[Gap] = []

        def work(context: Any) -> None:
            late = False
            missing: tuple[int, ...] = ()
            sequence: Any = given.get("sequence")
            if isinstance(sequence, int) and not isinstance(sequence, bool):
                order_number = given["order_number"]
                after: list[Heard] = []

                def change(before: Optional[Heard]) -> Heard:
                    after[:] = [hear(before, sequence)]
                    return after[0]

                self._store.hear(order_number, change, context)
                late, missing = sequence < after[0].highest, after[0].missing
                if not late and missing:
                    gaps.append(Gap(order_number, missing))
            handler = self._on.get(given["event_type"], self._otherwise)
            if handler is not None:
                handler(event, EventFacts(late, missing, context))

        if not self._store.once(given["event_id"], work):
            return "duplicate"
        # Called after the event is recorded: a failing on_gap must not undo the work.
        for gap in gaps:
            if self._on_gap is not None:
                self._on_gap(gap)
        return "worked"


def hear(before: Optional[Heard], sequence: int) -> Heard:
    """An order's changes are numbered from 1; the events of one change share its number."""
    highest, missing = before or Heard(0, ())
    if sequence <= highest:
        return Heard(highest, tuple(number for number in missing if number != sequence))
    first = max(highest + 1, sequence - MOST_MISSING)
    return Heard(sequence, (*missing, *range(first, sequence))[-MOST_MISSING:])


class MemoryStore:
    """In memory, with a size limit. Drops the oldest entries. Works through one event at a time."""

    def __init__(self, most_events: int = 100_000, most_orders: int = 20_000) -> None:
        self._most_events = most_events
        self._most_orders = most_orders
        self._done: OrderedDict[str, None] = OrderedDict()
        self._orders: OrderedDict[str, Heard] = OrderedDict()
        self._lock = threading.Lock()

    def once(self, event_id: str, work: Callable[[Any], None]) -> bool:
        with self._lock:
            if event_id in self._done:
                return False
            changes: dict[str, Heard] = {}
            work(changes)
            for order_number, heard in changes.items():
                self._orders[order_number] = heard
                self._orders.move_to_end(order_number)
            self._done[event_id] = None
            while len(self._done) > self._most_events:
                self._done.popitem(last=False)
            while len(self._orders) > self._most_orders:
                self._orders.popitem(last=False)
            return True

    def hear(self, order_number: str, change: Callable[[Optional[Heard]], Heard], context: Any) -> None:
        context[order_number] = change(self._orders.get(order_number))


_TABLES = (
    "create table if not exists pestle_event (event_id text primary key, at real not null) without rowid",
    "create index if not exists pestle_event_at on pestle_event (at)",
    "create table if not exists pestle_order"
    " (order_number text primary key, highest integer not null, missing text not null, at real not null) without rowid",
    "create index if not exists pestle_order_at on pestle_order (at)",
)


class SqliteStore:
    """In a file of SQLite, which several processes of one machine can share. The context of the work is the connection, in
    the transaction that records the event: what you write through it, and the record, are saved together or not at all."""

    def __init__(self, path: str, *, keep_days: float = 90, timeout_s: float = 10.0) -> None:
        """
        :param keep_days: How long it remembers events and orders. The pharmacy tries for three days.
        :param timeout_s: How long an event waits for the one before it.
        """
        self._path = path
        self._keep_s = keep_days * 24 * 3600
        self._timeout_s = timeout_s
        with closing(self._connect()) as connection:
            # Readers then do not wait for the writer.
            connection.execute("pragma journal_mode = wal")
            for statement in _TABLES:
                connection.execute(statement)

    def prepare(self, *statements: str) -> None:
        """Runs statements that create tables of your own in the same file."""
        with closing(self._connect()) as connection:
            for statement in statements:
                connection.execute(statement)

    def once(self, event_id: str, work: Callable[[Any], None]) -> bool:
        with closing(self._connect()) as connection:
            # Takes the lock before it reads, so that a concurrent call for the same event waits here.
            connection.execute("begin immediate")
            try:
                now = time.time()
                for table in ("pestle_event", "pestle_order"):
                    connection.execute(f"delete from {table} where at < ?", (now - self._keep_s,))
                taken = connection.execute("insert or ignore into pestle_event values (?, ?)", (event_id, now))
                if taken.rowcount == 0:
                    connection.execute("rollback")
                    return False
                work(connection)
                connection.execute("commit")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("rollback")
                raise
        return True

    def hear(self, order_number: str, change: Callable[[Optional[Heard]], Heard], context: Any) -> None:
        found = context.execute(
            "select highest, missing from pestle_order where order_number = ?", (order_number,)
        ).fetchone()
        heard = change(None if found is None else Heard(found[0], tuple(json.loads(found[1]))))
        context.execute(
            "insert or replace into pestle_order values (?, ?, ?, ?)",
            (order_number, heard.highest, json.dumps(heard.missing), time.time()),
        )

    def _connect(self) -> sqlite3.Connection:
        # Without an isolation level, the module begins no transactions of its own.
        return sqlite3.connect(self._path, timeout=self._timeout_s, isolation_level=None)
