"""What a memory does on a file it does on PostgreSQL: the same tests, on other fixtures."""

from __future__ import annotations

from tests import test_memory, test_memory_hypergraph, test_memory_ids, test_memory_transfer

ABOUT_FILES = {
    "test_a_backup_is_a_store_of_its_own",
    "test_a_backup_that_fails_leaves_no_half_file",
    "test_a_backup_holds_the_hypergraph",
    "test_a_store_is_its_owners_alone",
    "test_an_export_replaces_no_store_and_no_device",
    "test_no_name_of_a_forgotten_talk_stays_on_disk",
}
"""What only a file has."""

for module in (test_memory, test_memory_hypergraph, test_memory_ids, test_memory_transfer):
    for name, found in list(vars(module).items()):
        if name not in ABOUT_FILES and (
            name.startswith("test_") or type(found).__name__ == "FixtureFunctionDefinition"
        ):
            assert name not in globals(), name
            globals()[name] = found
