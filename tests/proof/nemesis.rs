//! What is done to the server, by a schedule that follows from a seed.

use std::{fs, time::Duration};

use tokio::time::{Instant, sleep};

use super::{
    chance::Chance,
    history::History,
    server::{Kind, Place, Server},
};

/// No server for so long is an outage, which no clock is charged for. It is only done when a round has this
/// much time left.
const OUTAGE: Duration = Duration::from_secs(17);

/// Does harm until a moment, and gives the server that runs then.
///
/// # Errors
///
/// Fails if a server can't be started.
pub(crate) async fn harm(
    place: &Place,
    mut server: Server,
    history: &History,
    seed: u64,
    end: Instant,
) -> Result<Server, String> {
    let mut chance = Chance::new(seed);
    loop {
        let pause = Duration::from_millis(2_000 + chance.below(3_000) as u64);
        if Instant::now() + pause >= end {
            sleep(end.saturating_duration_since(Instant::now())).await;
            return Ok(server);
        }
        sleep(pause).await;
        if let Some(ended) = server.ended() {
            history.deed(format!("the server ended by itself: {ended}"), true);
            server = place.start(Kind::Real).await?;
        }
        // All are drawn each time, so that what is done does not change what is drawn later.
        let (deed, time) = (chance.below(13), chance.below(1_000) as u64);
        let kind = match chance.below(5) {
            0 | 1 => Kind::Faulty(chance.below(1 << 30) as u64),
            _ => Kind::Real,
        };
        match deed {
            0..4 => {
                history.deed("killed", false);
                server.kill().await;
                server = restart(place, history, kind).await?;
            }
            4..7 => {
                history.deed("told to stop", false);
                if let Err(problem) = server.stop().await {
                    history.deed(problem, true);
                }
                server = restart(place, history, kind).await?;
            }
            7..9 => {
                history.deed("frozen", false);
                server
                    .freeze(Duration::from_millis(200 + 38 * time / 10))
                    .await;
            }
            9..12 => {
                history.deed("disk full", false);
                let bytes = [1, 4_096, size(place) / 2][time as usize % 3];
                server
                    .fill_disk(bytes, Duration::from_millis(1_000 + 3 * time))
                    .await;
            }
            _ if Instant::now() + 2 * OUTAGE < end => {
                history.deed("killed for long", false);
                server.kill().await;
                sleep(OUTAGE).await;
                server = restart(place, history, kind).await?;
            }
            _ => {
                history.deed("killed twice", false);
                server.kill().await;
                let short_lived = restart(place, history, kind).await?;
                sleep(Duration::from_millis(time / 4)).await;
                short_lived.kill().await;
                server = restart(place, history, kind).await?;
            }
        }
    }
}

async fn restart(place: &Place, history: &History, kind: Kind) -> Result<Server, String> {
    let server = place.start(kind).await?;
    let what = match kind {
        Kind::Real => "started",
        Kind::Faulty(_) => "started with a faulty store",
    };
    history.deed(what, false);
    Ok(server)
}

/// Bytes of the greatest file of the data folder.
fn size(place: &Place) -> u64 {
    let files = fs::read_dir(&place.folder).into_iter().flatten().flatten();
    let sizes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
    sizes.max().unwrap_or_default()
}
