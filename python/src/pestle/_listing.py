from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator
from itertools import islice
from typing import Any, Callable, Generic, Optional, TypeVar

Item = TypeVar("Item")
Page = dict[str, Any]


class Listing(Generic[Item]):
    """A list of several pages: iterate over it; pages load as needed. Each iteration starts at the first page."""

    def __init__(self, load: Callable[[Optional[str]], Page], items: str) -> None:
        self._load = load
        self._items = items

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page[self._items]

    def pages(self) -> Iterator[Page]:
        """The answers as they come, with `next_cursor`."""
        cursor: Optional[str] = None
        while True:
            page = self._load(cursor)
            yield page
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    def first_page(self) -> Page:
        """Loads one page, for programs that show one page at a time."""
        return self._load(None)

    def take(self, most: int) -> list[Item]:
        """The first items, at most this many."""
        return list(islice(self, max(0, most)))


class AsyncListing(Generic[Item]):
    """A list of several pages: iterate with `async for`; pages load as needed."""

    def __init__(self, listing: Listing[Item], run: Callable[..., Awaitable[Any]]) -> None:
        self._listing = listing
        self._run = run

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page[self._listing._items]:
                yield item

    async def pages(self) -> AsyncIterator[Page]:
        """The answers as they come, with `next_cursor`."""
        pages = self._listing.pages()
        while True:
            page = await self._run(next, pages, None)
            if page is None:
                return
            yield page

    async def first_page(self) -> Page:
        """Loads one page, for programs that show one page at a time."""
        page: Page = await self._run(self._listing.first_page)
        return page

    async def take(self, most: int) -> list[Item]:
        """The first items, at most this many."""
        taken: list[Item] = await self._run(self._listing.take, most)
        return taken
