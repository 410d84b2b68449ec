//! Files that are read again when they change.

use std::{convert::Infallible, error::Error, time::Duration};

use tokio::{task, time};

/// How often files are looked at.
const LOOK: Duration = Duration::from_secs(5);

/// Looks again and again whether a file has changed, by what reads it again and says so. A changed one that
/// can't be used changes nothing.
pub(super) async fn for_ever<E: Error + Send + 'static>(
    what: &'static str,
    reload: impl Fn() -> Result<bool, E> + Clone + Send + 'static,
) -> Infallible {
    let mut bad_looks = 0_u32;
    loop {
        time::sleep(LOOK).await;
        match task::spawn_blocking(reload.clone()).await {
            Ok(Ok(changed)) => {
                bad_looks = 0;
                if changed {
                    tracing::info!(what, "a changed file is used from now on");
                }
            }
            Ok(Err(error)) => {
                // The first look may have met one half of which was written.
                bad_looks = bad_looks.saturating_add(1);
                if bad_looks == 2 {
                    let error = &error as &dyn Error;
                    tracing::error!(
                        what,
                        error,
                        "a changed file can't be used, what was before is"
                    );
                }
            }
            Err(_) => tracing::error!(what, "looking at a file failed"),
        }
    }
}
