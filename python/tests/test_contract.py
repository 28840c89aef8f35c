from __future__ import annotations

import inspect
import typing
import unittest

from pestle import AsyncPestle, Pestle, models
from pestle.async_operations import AsyncOperations
from pestle.operations import Operations


def methods_of(kind: type) -> dict[str, inspect.Signature]:
    found = inspect.getmembers(kind, inspect.isfunction)
    return {name: inspect.signature(method) for name, method in found if not name.startswith("_")}


class Contract(unittest.TestCase):
    def test_both_clients_have_the_same_methods_with_the_same_arguments(self) -> None:
        sync, coroutines = methods_of(Operations), methods_of(AsyncOperations)
        self.assertGreater(len(sync), 40)
        self.assertEqual(list(sync), list(coroutines))
        for name, signature in sync.items():
            self.assertEqual(list(signature.parameters), list(coroutines[name].parameters), name)
            # The methods of the client replace some, and take the same arguments.
            own = methods_of(Pestle)[name]
            self.assertEqual(list(signature.parameters), list(own.parameters), name)
        own = set(methods_of(Pestle)) - set(sync)
        self.assertEqual(own - set(methods_of(AsyncPestle)), set())

    def test_every_annotation_can_be_resolved(self) -> None:
        kinds = [value for value in vars(models).values() if hasattr(value, "__total__")]
        self.assertGreater(len(kinds), 80)
        for kind in kinds:
            self.assertEqual(set(typing.get_type_hints(kind)), set(kind.__annotations__), kind)
        for kind in (Pestle, AsyncPestle):
            for _, method in inspect.getmembers(kind, inspect.isfunction):
                typing.get_type_hints(method)

    def test_every_method_is_documented(self) -> None:
        for kind in (Pestle, AsyncPestle):
            for name, method in inspect.getmembers(kind, inspect.isfunction):
                if not name.startswith("_"):
                    self.assertTrue(method.__doc__, name)
