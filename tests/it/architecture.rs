//! The house keeps its plan: every module is on the map, and imports go one way only. The README has
//! every reason that a client can meet.

use std::{
    fs,
    path::{Path, PathBuf},
};

use mancala::grpc::{Limit, Reason};

/// The rooms, each using only those before it.
const ROOMS: [&str; 7] = [
    "rules", "catalog", "search", "game", "store", "session", "grpc",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(file: &str) -> String {
    let path = root().join(file);
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Every Rust file below a folder, as paths from the crate's root.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// A file's code, without comments and without the unit tests at its end.
fn code(file: &str) -> String {
    let text = read(file);
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// What a piece of code names directly below `crate::`, grouped imports included.
fn named_in_crate(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    for after in code.split("crate::").skip(1) {
        let Some(group) = after.strip_prefix('{') else {
            named.push(word(after));
            continue;
        };
        let (mut depth, mut item) = (0, String::new());
        for char in group.chars() {
            match char {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    named.push(word(item.trim()));
                    item.clear();
                    continue;
                }
                _ => {}
            }
            item.push(char);
        }
        named.push(word(item.trim()));
    }
    named.retain(|name| !name.is_empty());
    named
}

fn word(text: &str) -> String {
    let part = |char: &char| char.is_alphanumeric() || *char == '_';
    text.chars().take_while(part).collect()
}

#[test]
fn the_reader_of_imports_sees_all_kinds() {
    let code = "use crate::rules::Side; use crate::{\n catalog::{Variant, RuleSet},\n game,\n};
                fn f() { crate::store::open() } pub(in crate::grpc) fn g() {}";
    let expected = ["rules", "catalog", "game", "store", "grpc"];
    assert_eq!(named_in_crate(code), expected);
}

#[test]
fn imports_go_one_way() {
    let mut wrong = Vec::new();
    for (index, room) in ROOMS.iter().enumerate() {
        if !root().join("src").join(room).exists() {
            continue;
        }
        for file in files(&format!("src/{room}")) {
            for name in named_in_crate(&code(&file)) {
                if !ROOMS[..=index].contains(&name.as_str()) {
                    wrong.push(format!("{file} uses crate::{name}"));
                }
            }
        }
    }
    let order = ROOMS.join(" < ");
    assert!(wrong.is_empty(), "the order is {order}, but {wrong:#?}");
}

#[test]
fn every_room_has_its_place_in_the_order() {
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let known = !entry.file_type().unwrap().is_dir() || ROOMS.contains(&name.as_str());
        assert!(known, "src/{name} is no room that this test knows");
    }
}

#[test]
fn messages_exist_in_one_room_each() {
    let only = [
        ("include_proto!(\"mancala.v1\")", "src/grpc/"),
        ("include_proto!(\"mancala.log.v1\")", "src/store/"),
    ];
    for (generated, room) in only {
        let with = files("src")
            .into_iter()
            .filter(|file| code(file).contains(generated));
        let with: Vec<_> = with.collect();
        assert_eq!(with.len(), 1, "{generated} is once in the code: {with:?}");
        assert!(with[0].starts_with(room), "{generated} is in {}", with[0]);
    }
    for file in files("src")
        .iter()
        // The command `admin` is a client of the service.
        .filter(|file| !file.starts_with("src/grpc/") && *file != "src/admin.rs")
    {
        let uses = code(file).contains("grpc::proto");
        assert!(!uses, "{file} uses messages of mancala.v1");
    }
    for file in files("src/store") {
        let public = code(&file).contains("pub mod proto");
        assert!(
            !public,
            "{file} shows messages of mancala.log.v1 to other rooms"
        );
    }
}

#[test]
fn every_module_is_on_the_map() {
    let map = read("ARCHITECTURE.md");
    let wanted = files("src").into_iter().filter_map(|file| {
        let shallow = file.matches('/').count() <= 2;
        match file.strip_suffix("mod.rs") {
            Some(folder) => Some(folder.to_owned()),
            None if shallow && file != "src/lib.rs" => Some(file),
            None => None,
        }
    });
    let missing: Vec<_> = wanted.filter(|path| !map.contains(path)).collect();
    assert!(
        missing.is_empty(),
        "not on ARCHITECTURE.md's map: {missing:#?}"
    );
}

#[test]
fn everything_on_the_map_is_there() {
    let map = read("ARCHITECTURE.md");
    let path = |char: char| char.is_alphanumeric() || "_/.-".contains(char);
    let named = map
        .split(|char| !path(char))
        .filter(|word| word.starts_with("src/"));
    let gone: Vec<_> = named
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !root().join(word).exists())
        .collect();
    assert!(
        gone.is_empty(),
        "on ARCHITECTURE.md's map, but not there: {gone:#?}"
    );
}

#[test]
fn every_reason_is_in_the_readme() {
    let readme = read("README.md");
    let rows: Vec<_> = readme
        .lines()
        .filter(|line| line.trim().starts_with('|'))
        .collect();
    let mut missing = Vec::new();
    for reason in Reason::ALL {
        let (name, code) = (format!("`{}`", reason.name()), code_name(*reason));
        let meant = |row: &&str| row.contains(&name) && row.contains(&code);
        if !rows.iter().any(meant) {
            missing.push(format!("{name} with {code}"));
        }
    }
    assert!(
        missing.is_empty(),
        "no row in README.md's tables: {missing:#?}"
    );
}

#[test]
fn every_limit_is_in_the_readme() {
    let readme = read("README.md");
    let rows = readme.lines().filter(|line| line.starts_with("| `"));
    let rows: Vec<_> = rows.collect();
    let missing: Vec<_> = Limit::ALL
        .iter()
        .map(|limit| {
            let (name, value, meaning) = (limit.name(), limit.default_value(), limit.meaning());
            format!("| `{name}` | {value} | {meaning} |")
        })
        .filter(|row| !rows.contains(&row.as_str()))
        .collect();
    assert!(missing.is_empty(), "no rows in README.md: {missing:#?}");
}

#[test]
fn every_variant_is_in_the_readme() {
    let readme = read("README.md");
    let missing: Vec<_> = crate::support::variants()
        .into_iter()
        .filter(|id| {
            !readme
                .lines()
                .any(|line| line.starts_with(&format!("| `{id}` |")))
        })
        .collect();
    assert!(
        missing.is_empty(),
        "no row in README.md's table of variants: {missing:?}"
    );
}

/// A status code as it is spelt outside of Rust: `INVALID_ARGUMENT`.
fn code_name(reason: Reason) -> String {
    let mut name = String::new();
    for char in format!("{:?}", reason.code()).chars() {
        if char.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(char.to_ascii_uppercase());
    }
    name
}
