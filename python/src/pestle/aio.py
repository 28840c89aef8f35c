"""The client for asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Callable, Optional, TypeVar

from ._listing import AsyncListing, Listing
from ._transport import Answer
from .async_operations import AsyncOperations
from .client import POLL_S, Pestle, options_from
from .models import Order, OrderDryRun, OrderRequest, StatementLine, WebhookEventRecord

CONCURRENT_CALLS = 16

Result = TypeVar("Result")
Self = TypeVar("Self", bound="AsyncPestle")


class AsyncPestle(AsyncOperations):
    """The same client for asyncio. Each call runs in a thread of its own pool, so it never blocks the event loop.

    A canceled call ends for its caller at once; its request ends in the background, at the latest after its deadline.
    """

    _sync: Pestle

    def __init__(
        self,
        client_id: str,
        client_secret: Optional[str] = None,
        *,
        base_url: str,
        auth_url: str,
        concurrent_calls: int = CONCURRENT_CALLS,
        **options: Any,
    ) -> None:
        """Takes the arguments of `Pestle`, and how many calls can run at the same time."""
        self._sync = Pestle(client_id, client_secret, base_url=base_url, auth_url=auth_url, **options)
        self._threads = ThreadPoolExecutor(concurrent_calls, thread_name_prefix="pestle")

    @classmethod
    def from_env(cls: type[Self], env: Mapping[str, str] = os.environ, **options: Any) -> Self:
        """A client from the same variables as `Pestle.from_env`."""
        return cls(**{**options_from(env), **options})

    async def close(self) -> None:
        """Closes the connections and ends the threads. An `async with` statement does it too."""
        self._threads.shutdown(wait=False)
        self._sync.close()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def request(self, method: str, path: str, **options: Any) -> Answer:
        """Calls any operation of the API. Takes the arguments of `Pestle.request`."""
        return await self._run(self._sync.request, method, path, **options)

    async def dry_run_order(
        self, body: OrderRequest, *, idempotency_key: Optional[str] = None, deadline_s: Optional[float] = None
    ) -> OrderDryRun:
        """Every problem and hold that `create_order` would return, and a quote, without creating an order."""
        return await self._run(
            self._sync.dry_run_order, body, idempotency_key=idempotency_key, deadline_s=deadline_s
        )

    async def find_order(self, body: OrderRequest, *, deadline_s: Optional[float] = None) -> Optional[Order]:
        """The newest order created from this request. Call it before you send a request again whose outcome is unknown."""
        return await self._run(self._sync.find_order, body, deadline_s=deadline_s)

    def statement_lines(
        self, month: str, *, limit: Optional[int] = None, deadline_s: Optional[float] = None
    ) -> AsyncListing[StatementLine]:
        """All lines of a month, oldest first."""
        return self._listing(self._sync.statement_lines(month, limit=limit, deadline_s=deadline_s))

    async def follow_webhook_events(
        self,
        cursor: Optional[str] = None,
        *,
        event_type: Optional[str] = None,
        order_number: Optional[str] = None,
        poll_s: float = POLL_S,
    ) -> AsyncIterator[tuple[list[WebhookEventRecord], str]]:
        """Past and future events, page by page, without end, each with a cursor. Process the events, store the cursor
        durably, and start with it next time. Waits while the service is unreachable."""
        while True:
            page = await self._run(self._sync._page_of_feed, cursor, event_type, order_number)
            if page is not None:
                moved = page["end_cursor"] != cursor
                cursor = page["end_cursor"]
                if moved or page["webhook_events"]:
                    yield page["webhook_events"], page["end_cursor"]
            if page is None or page["next_cursor"] is None:
                await asyncio.sleep(poll_s)

    async def _run(self, work: Callable[..., Result], *args: Any, **named: Any) -> Result:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(work, *args, **named))

    def _listing(self, listing: Listing[Any]) -> AsyncListing[Any]:
        return AsyncListing(listing, self._run)
