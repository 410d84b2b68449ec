//! All games in memory.

use std::{collections::HashMap, sync::Arc};

use super::room::Room;
use crate::game::GameId;

/// Games kept in memory, unless more are in use at the same moment.
const MOST_ROOMS: usize = 100_000;

/// So many rooms at least are free after space was made, unless more are in use.
const SPACE: usize = MOST_ROOMS / 10;

/// Every room.
#[derive(Debug)]
pub(super) struct Rooms {
    by_id: HashMap<GameId, Arc<Room>>,
    /// So many rooms are had before space is made.
    most: usize,
}

impl Default for Rooms {
    fn default() -> Rooms {
        Rooms {
            by_id: HashMap::new(),
            most: MOST_ROOMS,
        }
    }
}

impl Rooms {
    /// The room of a game; an empty one if it isn't there.
    pub(super) fn get(&mut self, id: GameId) -> Arc<Room> {
        if let Some(room) = self.by_id.get(&id) {
            return room.clone();
        }
        if self.by_id.len() >= self.most {
            self.make_space();
        }
        let room = Arc::new(Room::default());
        self.by_id.insert(id, room.clone());
        room
    }

    /// Forgets the room of a game that doesn't exist, unless others wait in it.
    pub(super) fn forget(&mut self, id: GameId, room: &Arc<Room>) {
        let here = self
            .by_id
            .get(&id)
            .is_some_and(|known| Arc::ptr_eq(known, room));
        // Held by the map and by the caller.
        if here && Arc::strong_count(room) <= 2 {
            self.by_id.remove(&id);
        }
    }

    /// Forgets rooms that nobody uses, since they can be loaded again: those without a game to be played,
    /// and only if that makes little space, every other one of the rest. Rooms are handed out only from
    /// here, so one that nobody else holds can't come into use meanwhile.
    fn make_space(&mut self) {
        let in_use = |room: &Arc<Room>| Arc::strong_count(room) > 1;
        self.by_id
            .retain(|_, room| in_use(room) || room.is_active());
        if self.by_id.len() + SPACE > MOST_ROOMS {
            let mut spare = false;
            self.by_id.retain(|_, room| {
                spare = !spare;
                spare || in_use(room)
            });
        }
        // If nearly all are in use, the next ones are let in without looking at all again.
        self.most = MOST_ROOMS.max(self.by_id.len() + SPACE);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by it")]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        catalog::Catalog,
        game::{Game, NewGame, PlayerId, Seat, Time, TimeControl, Visibility},
        rules::{BySide, Side},
    };

    fn id(number: usize) -> GameId {
        GameId(Uuid::from_u128(number as u128))
    }

    fn fill(rooms: &mut Rooms, numbers: std::ops::Range<usize>, game: Option<&Game>) {
        for number in numbers {
            *rooms.get(id(number)).game.try_lock().unwrap() = game.cloned();
        }
    }

    fn game() -> Game {
        let catalog = Catalog::built_in();
        let variant = catalog.get("kalah").unwrap();
        let player = PlayerId(Uuid::from_u128(1));
        let new = NewGame {
            game_id: id(0),
            creator: player,
            variant: variant.id.clone(),
            rule_set: variant.rule_set().clone(),
            holes: None,
            seeds: None,
            seats: BySide::from_fn(|_| Seat::Player(player)),
            first: Side::South,
            time_control: TimeControl::default(),
            target_wins: 1,
            visibility: Visibility::Public,
            join_code: None,
            start: None,
            rematch_of: None,
        };
        let first = new.create(None, Time(0)).unwrap();
        Game::replay(std::slice::from_ref(&first)).unwrap()
    }

    #[test]
    fn games_being_played_stay_while_there_are_others_to_forget() {
        let (mut rooms, game) = (Rooms::default(), game());
        fill(&mut rooms, 0..1_000, Some(&game));
        // As calls leave behind that were ended while they loaded games that don't exist.
        fill(&mut rooms, 1_000..3 * MOST_ROOMS, None);
        assert!(rooms.by_id.len() <= MOST_ROOMS);
        let kept = (0..1_000).filter(|number| rooms.by_id.contains_key(&id(*number)));
        assert_eq!(kept.count(), 1_000);
    }

    #[test]
    fn half_of_the_games_go_when_there_is_nothing_else_to_forget() {
        let (mut rooms, game) = (Rooms::default(), game());
        fill(&mut rooms, 0..MOST_ROOMS, Some(&game));
        let held = rooms.get(id(7));
        fill(&mut rooms, MOST_ROOMS..MOST_ROOMS + 1, None);
        let left = rooms.by_id.len();
        assert!(
            (MOST_ROOMS / 2..=MOST_ROOMS / 2 + 2).contains(&left),
            "{left}"
        );
        assert!(Arc::ptr_eq(&held, &rooms.get(id(7))));
    }
}
