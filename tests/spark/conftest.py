"""One Spark session for all tests: starting one takes longer than most of them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Tests end before Java's best compiler has paid for itself.
QUICK_JAVA = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"}
SECRET = "a key for the tests of spark, 1234"


@pytest.fixture(scope="session")
def event_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Spark writes what it did, for everybody who may see a cluster's history."""
    return tmp_path_factory.mktemp("events")


@pytest.fixture(scope="session")
def spark(event_log: Path) -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="needs the extra 'spark'")
    pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # workers import what this process imports
    os.environ |= QUICK_JAVA
    session = (
        SparkSession.builder.master("local[2,3]")  # a task is tried three times
        .appName("incognote tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.compress", "false")
        .config("spark.eventLog.dir", event_log.as_uri())
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from incognote.spark import KeyFile

    path = tmp_path_factory.mktemp("key") / "key"
    path.write_text(SECRET)
    return KeyFile(str(path))


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "marker"
