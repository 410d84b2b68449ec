//! Files with keys in them, which are for their owner's eyes alone.

use std::{io, path::Path};

/// Whether others than its owner may read a file.
#[cfg(unix)]
pub(super) fn exposed(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

/// Whether others than its owner may read a file: not known here.
#[cfg(not(unix))]
pub(super) fn exposed(_: &Path) -> io::Result<bool> {
    Ok(false)
}
