//! Promise: whatever is told of a game, by an answer, a watch, a list or an inbox, is what its log comes to at
//! the seq that is named.

use std::collections::BTreeMap;

use mancala::game::{Game, Record};

use super::{
    Judged, Past,
    claims::{Claim, Shown},
    fold,
};

const TOLD: &str = "told as logged";

pub(super) fn check(past: &Past, judged: &mut Judged) {
    let mut by_game: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
    for claim in &past.claims {
        by_game.entry(&claim.game_id).or_default().push(claim);
    }
    for (game_id, mut claims) in by_game {
        claims.sort_by_key(|claim| claim.seq);
        let mut claims = claims.into_iter().peekable();
        let mut game: Option<Game> = None;
        for (_, record) in past.log(game_id) {
            let folded = match &mut game {
                None => Game::replay(std::slice::from_ref(record)).map(|begun| game = Some(begun)),
                Some(game) => game.apply(record),
            };
            let (Some(game), Ok(())) = (&game, folded) else {
                // That a log can be folded is another promise.
                break;
            };
            while let Some(claim) = claims.next_if(|claim| claim.seq <= record.seq) {
                let differs = differs(claim, game, record);
                judged.see(TOLD, differs.is_none(), || {
                    let (method, seq) = (claim.method.name(), claim.seq);
                    format!(
                        "{method} of {game_id} at {seq}: {}",
                        differs.unwrap_or_default()
                    )
                });
            }
        }
        for claim in claims {
            judged.see(TOLD, false, || {
                let (method, seq) = (claim.method.name(), claim.seq);
                format!("{method} of {game_id} told of event {seq}, which is not in the log")
            });
        }
    }
}

/// How a claim differs from the log, if it does.
fn differs(claim: &Claim, game: &Game, record: &Record) -> Option<String> {
    if claim.seq != record.seq {
        return Some("there is no such event".into());
    }
    fn unlike<T: PartialEq + std::fmt::Debug>(told: T, logged: T) -> Option<String> {
        (told != logged).then(|| format!("told {told:?}, logged {logged:?}"))
    }
    match &claim.what {
        Shown::Game {
            game: told,
            whole,
            now,
        } => {
            let (mut told, mut logged) = (fold::bare_game(told), fold::game(game, *whole));
            if *now {
                // They are another promise.
                (told.clocks, logged.clocks) = (None, None);
            }
            unlike(told, logged)
        }
        Shown::Event { event, state } => {
            let mut logged = fold::event(game, record);
            if !state {
                logged.state = None;
            }
            unlike(fold::bare_event(event), logged)
        }
        Shown::Outcome(outcome) => unlike(
            Some(fold::bare_outcome(outcome)),
            fold::outcome(game, record),
        ),
    }
}
