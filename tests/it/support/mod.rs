//! What several groups of tests use.

pub(crate) mod chance;
pub(crate) mod changing;
pub(crate) mod client;
pub(crate) mod clock;
pub(crate) mod faults;
pub(crate) mod folder;
pub(crate) mod inbox;
pub(crate) mod server;
pub(crate) mod status;
pub(crate) mod table;
pub(crate) mod timed;
pub(crate) mod wire;

use std::{
    fs,
    future::Future,
    path::Path,
    sync::{Arc, LazyLock},
    time::Duration,
};

use mancala::{catalog::Catalog, rules::Definition};

/// The built-in variants, compiled once.
pub(crate) fn catalog() -> &'static Arc<Catalog> {
    static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| Arc::new(Catalog::built_in()));
    &CATALOG
}

/// The built-in variants, and as `id` one of them with a line of its file changed.
pub(crate) fn catalog_with(id: &str, variant: &str, line: &str, instead: &str) -> Arc<Catalog> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let mut text = fs::read_to_string(seeds.join(format!("{variant}.toml"))).unwrap();
    let own_id = format!("id = \"{variant}\"");
    for (line, instead) in [(&*own_id, &*format!("id = \"{id}\"")), (line, instead)] {
        assert_eq!(text.lines().filter(|known| *known == line).count(), 1);
        text = text.replacen(&format!("{line}\n"), &format!("{instead}\n"), 1);
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("variant.toml"), text).unwrap();
    let mut catalog = Catalog::built_in();
    catalog.add_folder(folder.path()).unwrap();
    Arc::new(catalog)
}

/// With `pie-kalah`: Kalah in which the second player may swap sides.
pub(crate) fn catalog_with_swap() -> Arc<Catalog> {
    let line = "again = \"last-in-store\"";
    let instead = format!("{line}\nswap = \"after-first-turn\"");
    catalog_with("pie-kalah", "kalah", line, &instead)
}

/// The ids of the built-in variants.
pub(crate) fn variants() -> Vec<&'static str> {
    catalog()
        .iter()
        .map(|variant| variant.id.as_str())
        .collect()
}

/// The definition of a built-in variant.
pub(crate) fn definition(variant: &str) -> &'static Definition {
    catalog().get(variant).unwrap().rule_set().definition()
}

/// Waits for something that must happen, but not for ever.
#[track_caller]
pub(crate) fn within<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let caller = std::panic::Location::caller();
    async move {
        let waited = tokio::time::timeout(Duration::from_secs(60), future).await;
        waited.unwrap_or_else(|_| panic!("what {caller} waits for did not happen"))
    }
}
