"""Our own stores pass what others' are asked to pass."""

from pathlib import Path

import pytest

import postgres_server
from secateur.stores import changes, open_store
from secateur.stores.protocol import Store
from secateur.testing import StoreKit


class TestMemory(StoreKit):
    def opened(self, folder: Path) -> Store:
        return open_store("memory://")


class TestSqlite(StoreKit):
    def opened(self, folder: Path) -> Store:
        return open_store(f"sqlite://{folder}/s.db?synchronous=normal")


class TestSqliteWithoutZstd(StoreKit):
    @pytest.fixture(autouse=True)
    def _without(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(changes, "ZSTD_MODULES", ())

    def opened(self, folder: Path) -> Store:
        return open_store(f"sqlite://{folder}/s.db?synchronous=normal")


class TestPostgres(StoreKit):
    def opened(self, folder: Path) -> Store:
        return open_store(postgres_server.make_url())
