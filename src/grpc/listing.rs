//! Lists of games, and of a game's events.

use std::time::Duration;

use prost::Message;
use tokio::time::Instant;
use tonic::Status;
use uuid::Uuid;

use super::{
    error::{self, Reason, invalid},
    game::{self, Names},
    page, proto,
};
use crate::{
    game::{GameId, PlayerId, Status as GameStatus},
    session::{Session, Watch, Watched},
    store::GameFilter,
};

/// Longest that `ListGameEvents` waits for events.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What an answer has beside its events, generously, in bytes.
const OVERHEAD: usize = 1024;

/// The filter of a list of games.
pub(super) fn game_filter(
    viewer: Option<PlayerId>,
    content: &proto::ListGamesRequest,
) -> Result<GameFilter, Status> {
    let proto::ListGamesRequest {
        page_size: _,
        page_token: _,
        status,
        player_id,
        variant,
        open_seat,
    } = content;
    let status = match proto::GameStatus::try_from(*status) {
        Ok(proto::GameStatus::Unspecified) => None,
        Ok(proto::GameStatus::Waiting) => Some(GameStatus::Waiting),
        Ok(proto::GameStatus::Active) => Some(GameStatus::Active),
        Ok(proto::GameStatus::Finished) => Some(GameStatus::Finished),
        Ok(proto::GameStatus::Aborted) => Some(GameStatus::Aborted),
        Err(_) => return Err(invalid("status", "is no status")),
    };
    let player = match player_id.as_str() {
        "" => None,
        id => Some(game::player_id("player_id", id)?),
    };
    Ok(GameFilter {
        viewer,
        status,
        player,
        variant: (!variant.is_empty()).then(|| variant.clone()),
        open_seat: *open_seat,
    })
}

/// A page of games that fit a filter, which the request `content` asks for, and the token of the next page.
pub(super) async fn games(
    session: &Session,
    filter: GameFilter,
    content: &impl Message,
    size: u32,
    token: &str,
) -> Result<(Vec<proto::Game>, String), Status> {
    let after = page::cursor(content, token)?;
    let after = after.map(|id| GameId(Uuid::from_u128(id)));
    // One more than asked for tells whether there is a next page.
    let listed = session.list(filter, after, size + 1).await;
    let mut listed = listed.map_err(error::of_none)?;
    let more = listed.len() > size as usize;
    listed.truncate(size as usize);
    // The last game, which the viewer has seen, tells where to go on: no number of others.
    let last = listed.last().filter(|_| more);
    let last = last.map(|last| page::token(content, last.created.game_id.0.as_u128()));
    let games = listed
        .iter()
        .map(|listed| Ok(game::at(game::summary(listed)?, session.clocks(listed))));
    Ok((
        games.collect::<Result<_, Status>>()?,
        last.unwrap_or_default(),
    ))
}

/// How long a request wants to wait.
pub(super) fn wait(asked: Option<prost_types::Duration>) -> Result<Duration, Status> {
    let prost_types::Duration { seconds, nanos } = asked.unwrap_or_default();
    // Field by field: the library's own conversion overflows at the least number of seconds.
    let parts = u64::try_from(seconds).ok().zip(u32::try_from(nanos).ok());
    let parts = parts.filter(|(_, nanos)| *nanos < 1_000_000_000);
    let wait = parts.map(|(seconds, nanos)| Duration::new(seconds, nanos));
    wait.filter(|wait| *wait <= LONGEST_WAIT)
        .ok_or_else(|| invalid("wait", "is from 0 to 30 s"))
}

/// A page of so many events and bytes from a watch: what there is; or, if there is nothing, what comes until a
/// deadline.
pub(super) async fn events(
    id: GameId,
    mut watch: Watch,
    omit_steps: bool,
    (size, most_bytes): (u32, usize),
    deadline: Instant,
) -> Result<proto::ListGameEventsResponse, Status> {
    let names = Names::new(watch.variant(), watch.rules(), omit_steps);
    let (mut events, mut bytes) = (Vec::new(), OVERHEAD);
    while events.len() < size as usize && (events.is_empty() || watch.is_behind()) {
        let watched = match watch.is_behind() {
            true => watch.next().await,
            false => match tokio::time::timeout_at(deadline, watch.next()).await {
                Ok(watched) => watched,
                Err(_) => break,
            },
        };
        match watched.transpose().map_err(error::of_game(id))? {
            Some(Watched::Change(change)) => {
                let event = names.event(&change);
                // With its tag and length.
                bytes += event.encoded_len() + 8;
                if bytes > most_bytes {
                    return Ok(events_page(events, false));
                }
                events.push(event);
            }
            Some(Watched::Goodbye { .. }) if events.is_empty() => {
                return Err(Reason::Draining.plain());
            }
            Some(Watched::Goodbye { .. }) | None => break,
            // The game has gone on so fast that events were skipped: they are on the next page.
            Some(Watched::Snapshot { .. }) => return Ok(events_page(events, false)),
            Some(Watched::Heartbeat { .. } | Watched::Presence { .. }) => {}
        }
    }
    Ok(events_page(events, watch.is_over()))
}

fn events_page(events: Vec<proto::GameEvent>, complete: bool) -> proto::ListGameEventsResponse {
    proto::ListGameEventsResponse { events, complete }
}
