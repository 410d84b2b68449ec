//! Variants' files and folders of them: what is read, and what is refused besides bad rules.

use std::fs;

use mancala::catalog::{Catalog, CatalogError, read};

use super::definition::{PROSE, RULES, refused, with};

#[test]
fn file_refuses_bad_ids_and_prose() {
    for id in [
        "",
        "My-game",
        "my game",
        "my_game",
        "spël",
        "a-name-of-thirty-three-letters-ab",
    ] {
        refused(&with("my-game", id), "id");
    }
    for (from, to, key) in [
        ("\"My Game\"", "\"\"", "name"),
        ("\"here\"", "\" \"", "region"),
        ("\"we\"", "\"\\n\"", "people"),
        ("\"We play it.\"", "\"\"", "summary"),
        ("\"As we play it.\"", "\"\"", "description"),
        ("[{ citation = \"ourselves\" }]", "[]", "sources"),
    ] {
        refused(&with(from, to), key);
    }
    let long = format!("\"{}\"", "x".repeat(64 * 1024 + 1));
    refused(&with("\"As we play it.\"", &long), "description");
}

#[test]
fn file_refuses_broken_syntax_with_its_line() {
    refused("id = ", "line 1");
    refused("\n\nid = \"a\"\nname = \"b\n", "line 4");
    refused(&format!("id = \"twice\"{PROSE}{RULES}"), "line 2");
}

#[test]
fn file_refuses_files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = read(&folder.path().join("nothing.toml")).unwrap_err();
    assert!(matches!(nothing, CatalogError::Read { .. }));
    assert!(nothing.to_string().contains("nothing.toml"));
    let path = folder.path().join("latin.toml");
    fs::write(&path, b"id = \"\xe4\"").unwrap();
    assert!(matches!(read(&path), Err(CatalogError::Read { .. })));
    refused(&"# too much\n".repeat(30_000), "file");
}

#[test]
fn file_folders_add_their_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.toml"), format!("{PROSE}{RULES}")).unwrap();
    fs::write(folder.path().join("notes.txt"), "no variant").unwrap();
    let mut catalog = Catalog::built_in();
    let built_in = catalog.iter().count();
    catalog.add_folder(folder.path()).unwrap();
    assert_eq!(catalog.iter().count(), built_in + 1);
    assert_eq!(catalog.get("my-game").unwrap().name, "My Game");
}

#[test]
fn file_folders_refuse_ids_that_are_there() {
    for id in ["my-game", "en-dodoi"] {
        let folder = tempfile::tempdir().unwrap();
        let again = with("my-game", id);
        for name in ["mine.toml", "other.toml"] {
            fs::write(folder.path().join(name), &again).unwrap();
        }
        let mut catalog = Catalog::built_in();
        let error = catalog.add_folder(folder.path()).unwrap_err();
        let name = if id == "my-game" {
            "other.toml"
        } else {
            "mine.toml"
        };
        let CatalogError::Refused { path, key, reason } = &error else {
            panic!("{error}");
        };
        assert_eq!(
            (path.file_name().unwrap(), key.as_str()),
            (name.as_ref(), "id")
        );
        assert!(reason.contains(id), "{reason}");
    }
}

#[test]
fn file_folders_refuse_a_bad_file_and_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("bad.toml"),
        with("seeds = 4", "seeds = 0"),
    )
    .unwrap();
    let mut catalog = Catalog::built_in();
    let error = catalog.add_folder(folder.path()).unwrap_err().to_string();
    assert!(error.contains("bad.toml: rules.seeds: "), "{error}");
    let missing = catalog.add_folder(&folder.path().join("missing"));
    assert!(matches!(missing, Err(CatalogError::Read { .. })));
}
