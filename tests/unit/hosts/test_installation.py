"""Installing and uninstalling on real folders: backups, the record, and files that were changed in between."""

import json
import os
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from secateur.errors import ConfigError
from secateur.hosts.changes import FileChange, JsonMembers, OwnFile, TextBlock
from secateur.hosts.installation import (
    RECORD,
    InstallableHost,
    InstallOptions,
    find_changed_files,
    install,
    preview,
    read_record,
    uninstall,
)

SETTINGS = b'{"theme":  "dark",\n "hooks": {"Stop": [1]}}'
CONFIG = b'model = "gpt-5"'


def plan(options: InstallOptions) -> tuple[FileChange, ...]:
    home = options.home
    return (
        OwnFile(str(home / ".host" / "plugins" / "deep" / "secateur.js"), f"// {options.policy}", is_program=True),
        JsonMembers(str(home / "settings.json"), {"hooks": {"Stop": [2]}}),
        TextBlock(str(home / "config.toml"), "[secateur]\nx = 1"),
    )


HOST = InstallableHost(
    name="host",
    title="Host",
    program="host",
    package="npm install -g host",
    acts="prunes",
    plan=plan,
    find_problems=lambda options: [],
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "settings.json").write_bytes(SETTINGS)
    (folder / "settings.json").chmod(0o600)
    (folder / "config.toml").write_bytes(CONFIG)
    return folder


def options(home: Path, policy: str = "balance") -> InstallOptions:
    return InstallOptions(home=home, environment={}, command=("secateur",), policy=policy)


def read_tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file and folder: its bytes and its mode."""
    return {
        str(path.relative_to(folder)): (path.read_bytes() if path.is_file() else b"", path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
    }


def test_uninstalling_restores_every_byte_mode_and_folder(home: Path, tmp_path: Path) -> None:
    before = read_tree(home)
    kept = tmp_path / "kept" / "host"
    shown = preview(HOST, options(home), kept)
    assert read_tree(home) == before
    assert [file.what for file in shown] == ["create", "change", "change"]
    record = install(HOST, options(home), kept, "1.0")
    after = read_tree(home)
    assert [Path(file.path).read_text() for file in shown] == [file.text for file in shown]
    assert json.loads(after["settings.json"][0]) == {"theme": "dark", "hooks": {"Stop": [1, 2]}}
    assert after["settings.json"][1] & 0o777 == 0o600
    assert after[".host/plugins/deep/secateur.js"][1] & 0o111
    assert read_record(kept) == record
    assert not find_changed_files(record)
    assert [file.what for file in preview(HOST, options(home), kept)] == ["keep"] * 3
    assert {file.result for file in uninstall(kept)} == {"restored", "removed"}
    assert read_tree(home) == before
    assert not kept.exists()


def test_installing_again_begins_from_what_the_user_had(home: Path, tmp_path: Path) -> None:
    before, kept = read_tree(home), tmp_path / "kept"
    install(HOST, options(home), kept, "1.0")
    shown = preview(HOST, options(home, "hermes"), kept)
    assert [file.what for file in shown] == ["replace", "keep", "keep"]
    install(HOST, options(home, "hermes"), kept, "1.1")
    assert [Path(file.path).read_text() for file in shown] == [file.text for file in shown]
    uninstall(kept)
    assert read_tree(home) == before


def test_what_the_user_changed_since_stays(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "host"
    record = install(HOST, options(home), kept, "1.0")
    path = home / "settings.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"theme": "light"}))
    plugin = home / ".host" / "plugins" / "deep" / "secateur.js"
    plugin.write_text("edited")
    assert find_changed_files(record) == [str(plugin), str(path)]
    done = {Path(file.path).name: file for file in uninstall(kept)}
    assert {name: file.result for name, file in done.items()} == {
        "secateur.js": "removed",
        "settings.json": "edited",
        "config.toml": "restored",
    }
    assert json.loads(path.read_text()) == {"theme": "light", "hooks": {"Stop": [1]}}
    assert not plugin.exists()
    aside = list(kept.parent.glob("*.edited"))
    assert [file.read_text() for file in aside] == ["edited"]
    assert str(aside[0]) in done["secateur.js"].text
    assert done["secateur.js"].kept_as == str(aside[0])


def test_what_cannot_be_taken_out_is_kept_and_can_be_tried_again(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    install(HOST, options(home), kept, "1.0")
    path = home / "settings.json"
    written = path.read_bytes()
    path.write_bytes(b"{ // mine\n}")
    done = {Path(file.path).name: file for file in uninstall(kept)}
    assert done["settings.json"].result == "kept"
    assert "plain JSON" in done["settings.json"].text
    assert path.read_bytes() == b"{ // mine\n}"
    path.write_bytes(written)
    assert {file.result for file in uninstall(kept)} == {"removed", "restored"}
    assert path.read_bytes() == SETTINGS


def test_nothing_is_written_if_one_file_cannot_be(home: Path, tmp_path: Path) -> None:
    (home / "settings.json").write_bytes(b"// mine")
    before = read_tree(home)
    for act in (preview, lambda *given: install(*given, "1.0")):
        with pytest.raises(ConfigError, match=r"settings\.json is not plain JSON"):
            act(HOST, options(home), tmp_path / "kept")
    assert read_tree(home) == before
    assert not (tmp_path / "kept").exists()


def test_a_file_that_cannot_be_written_leaves_nothing_beside_it(home: Path, tmp_path: Path) -> None:
    before, kept = read_tree(home), tmp_path / "kept"
    (kept / "1.backup").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"1\.backup cannot be written"):
        install(HOST, options(home), kept, "1.0")
    assert [path.name for path in kept.iterdir()] == ["1.backup"]
    assert read_tree(home) == before


def test_files_that_are_gone_come_back_or_stay_gone(home: Path, tmp_path: Path) -> None:
    before, kept = read_tree(home), tmp_path / "kept"
    install(HOST, options(home), kept, "1.0")
    for path in (home / "settings.json", home / ".host" / "plugins" / "deep" / "secateur.js"):
        path.unlink()
    uninstall(kept)
    assert {name: data for name, (data, _) in read_tree(home).items()} == {
        name: data for name, (data, _) in before.items()
    }


def test_a_link_keeps_pointing_where_it_did(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    os.replace(home / "settings.json", real)
    (home / "settings.json").symlink_to(real)
    install(HOST, options(home), tmp_path / "kept", "1.0")
    assert json.loads(real.read_bytes())["hooks"] == {"Stop": [1, 2]}
    uninstall(tmp_path / "kept")
    assert (home / "settings.json").is_symlink()
    assert real.read_bytes() == SETTINGS


def test_a_record_that_cannot_be_read_is_an_error_that_names_the_backups(tmp_path: Path) -> None:
    (tmp_path / RECORD).write_text("{")
    with pytest.raises(ConfigError, match="backups beside it"):
        uninstall(tmp_path)
    with pytest.raises(ConfigError, match="nothing is installed"):
        uninstall(tmp_path / "nowhere")


def test_backups_are_for_their_owner_only(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    install(HOST, options(home), kept, "1.0")
    assert {path.name for path in kept.iterdir()} == {"1.backup", "2.backup", RECORD}
    assert [path.name for path in (kept, *kept.iterdir()) if path.stat().st_mode & 0o077] == []
    (home / "settings.json").unlink()
    uninstall(kept)
    assert (home / "settings.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("written", range(4))
def test_an_installation_that_was_killed_can_be_taken_out(written: int, home: Path, tmp_path: Path) -> None:
    before, kept = read_tree(home), tmp_path / "kept"
    record = install(HOST, options(home), kept, "1.0")
    for file in record.files[written:]:  # as if these were not reached
        path = Path(file.change.path)
        name = str(path.relative_to(home))
        path.write_bytes(before[name][0]) if name in before else path.unlink()
    assert {file.text for file in uninstall(kept)} <= {
        "",
        "it was already deleted",
        "it was already in its earlier state",
    }
    assert read_tree(home) == before


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write into")
def test_an_installation_that_cannot_be_finished_leaves_nothing(home: Path, tmp_path: Path) -> None:
    before, kept = read_tree(home), tmp_path / "kept"
    host = replace(HOST, plan=lambda options: (*plan(options), OwnFile("/proc/secateur/plugin.js", "//")))
    with pytest.raises(ConfigError, match=r"/proc/secateur/plugin\.js cannot be written: .*; correct that"):
        install(host, options(home), kept, "1.0")
    assert read_tree(home) == before
    assert not kept.exists()


@pytest.mark.parametrize("obstacle", ["folder", "loop", "backup"])
def test_what_is_in_the_way_of_one_file_keeps_no_other_from_being_restored(
    obstacle: str, home: Path, tmp_path: Path
) -> None:
    kept, path = tmp_path / "kept", home / "config.toml"
    record = install(HOST, options(home), kept, "1.0")
    if obstacle == "backup":
        (kept / record.files[2].backup).unlink()
    else:
        path.unlink()
        path.mkdir() if obstacle == "folder" else path.symlink_to(path)
    there = path.read_bytes() if obstacle == "backup" else b""
    done = {Path(file.path).name: file for file in uninstall(kept)}
    assert {name: file.result for name, file in done.items()} == {
        "secateur.js": "removed",
        "settings.json": "restored",
        "config.toml": "kept",
    }
    assert "by hand" in done["config.toml"].text or "correct that" in done["config.toml"].text
    assert path.is_symlink() or path.is_dir() or path.read_bytes() == there
    assert read_record(kept) == record


def test_what_is_installed_without_a_record_is_not_taken_for_the_users(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    record = install(HOST, options(home), kept, "1.0")
    shutil.rmtree(kept)
    again = install(HOST, options(home), kept, "1.0")
    assert [file.written for file in again.files] == [file.written for file in record.files]
    uninstall(kept)
    assert (home / "config.toml").read_bytes() == CONFIG + b"\n"
    assert not (home / ".host" / "plugins" / "deep" / "secateur.js").exists()


def test_a_link_to_nowhere_points_nowhere_again(home: Path, tmp_path: Path) -> None:
    (home / "config.toml").unlink()
    (home / "config.toml").symlink_to(tmp_path / "dotfiles" / "config.toml")
    install(HOST, options(home), tmp_path / "kept", "1.0")
    assert (tmp_path / "dotfiles" / "config.toml").exists()
    uninstall(tmp_path / "kept")
    assert (home / "config.toml").is_symlink()
    assert not (home / "config.toml").exists()
