//! What the files of a data folder hold.

use std::path::Path;

use super::within;

/// Whether some bytes are in any file of a folder.
pub(crate) fn holds(folder: &Path, bytes: &[u8]) -> bool {
    let files = std::fs::read_dir(folder).unwrap();
    let mut contents = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    contents.any(|content| content.windows(bytes.len()).any(|window| window == bytes))
}

/// Waits until some bytes are in no file of a folder.
pub(crate) async fn forgets(folder: &Path, bytes: &[u8]) {
    let gone = async {
        while holds(folder, bytes) {
            tokio::task::yield_now().await;
        }
    };
    within(gone).await;
}
