//! A game and its log, played as the pure aggregate that it is.

use std::sync::Arc;

use mancala::{
    game::{
        Command, Decision, Game, GameId, Moment, NewGame, Outages, PlayerId, Record, Refusal,
        Request, Seat, Time, TimeControl, Visibility,
    },
    rules::{BySide, Position, Rules, Side},
};
use uuid::Uuid;

use super::{catalog, chance::Chance};

pub(crate) const ALICE: PlayerId = PlayerId(Uuid::from_u128(0xa11ce));
pub(crate) const BOB: PlayerId = PlayerId(Uuid::from_u128(0xb0b));
pub(crate) const CAROL: PlayerId = PlayerId(Uuid::from_u128(0xca201));

/// A game with all its records.
pub(crate) struct Table {
    pub(crate) game: Game,
    pub(crate) log: Vec<Record>,
    /// The clock, which each decision reads and moves on.
    pub(crate) now: Time,
}

/// A new game, South Alice and North Bob.
pub(crate) fn new_game(variant: &str) -> NewGame {
    let variant = catalog().get(variant).unwrap();
    NewGame {
        game_id: GameId(Uuid::from_u128(7)),
        creator: ALICE,
        variant: variant.id.clone(),
        rule_set: variant.rule_set().clone(),
        holes: None,
        seeds: None,
        seats: BySide {
            south: Seat::Player(ALICE),
            north: Seat::Player(BOB),
        },
        first: Side::South,
        time_control: TimeControl::default(),
        target_wins: 1,
        visibility: Visibility::Public,
        join_code: None,
        start: None,
        rematch_of: None,
    }
}

/// A position of a variant, to start from.
pub(crate) fn parsed(variant: &str, text: &str) -> (Arc<Rules>, Position) {
    let (rules, position) = catalog().get(variant).unwrap().parse(text).unwrap();
    (rules.clone(), position)
}

impl Table {
    /// A game just created.
    pub(crate) fn new(new: NewGame) -> Table {
        Table::begin(new.create(None, Time(1_000)).unwrap())
    }

    /// A game of its first event.
    pub(crate) fn begin(record: Record) -> Table {
        Table {
            game: Game::replay(std::slice::from_ref(&record)).unwrap(),
            now: record.time,
            log: vec![record],
        }
    }

    /// A game of a variant from a position text.
    pub(crate) fn from(variant: &str, start: &str) -> Table {
        Table::new(NewGame {
            start: Some(parsed(variant, start)),
            ..new_game(variant)
        })
    }

    /// A series of a variant.
    pub(crate) fn series(variant: &str, target_wins: u32) -> Table {
        Table::new(NewGame {
            target_wins,
            ..new_game(variant)
        })
    }

    /// Decides a command and applies it, with a request id if there is one.
    pub(crate) fn request(
        &mut self,
        player: PlayerId,
        command: &Command,
        request: Option<Request>,
    ) -> Result<Decision, Refusal> {
        self.now.0 += 10;
        let outages = Outages::default();
        let moment = Moment::at(self.now, &outages);
        let decision = self.game.decide(command, player, request, &moment)?;
        if let Decision::New(record) = &decision {
            self.game.apply(record).unwrap();
            self.log.push(record.clone());
        }
        Ok(decision)
    }

    /// Decides a command and applies it.
    pub(crate) fn act(&mut self, player: PlayerId, command: &Command) -> Result<&Record, Refusal> {
        self.request(player, command, None)?;
        Ok(self.log.last().unwrap())
    }

    /// Plays a legal hole for whoever is to move.
    #[track_caller]
    pub(crate) fn play(&mut self, hole: u8) -> &Record {
        let side = self.game.state().position.to_move();
        let player = match side.expect("it is not over") {
            Side::South => ALICE,
            Side::North => BOB,
        };
        self.act(player, &play(hole.into())).unwrap()
    }

    /// Plays holes by their letters, of either case, for whoever is to move.
    #[track_caller]
    pub(crate) fn play_line(&mut self, holes: &str) {
        for hole in holes.to_ascii_lowercase().bytes() {
            self.play(hole - b'a');
        }
    }

    /// Plays a legal hole by chance.
    pub(crate) fn play_any(&mut self, chance: &mut Chance) -> &Record {
        let position = self.game.state().position;
        let legal: Vec<u8> = self.game.rules().legal_moves(&position).iter().collect();
        self.play(*chance.of(&legal))
    }

    /// The position's text.
    pub(crate) fn text(&self) -> String {
        let position = &self.game.state().position;
        self.game.rules().text(position).to_string()
    }
}

/// The command to play a hole, whatever turn it is.
pub(crate) fn play(hole: u32) -> Command {
    Command::Move {
        hole,
        expected_turn: None,
    }
}

/// What stands for a request: who and which id, and its content.
pub(crate) fn request(key: u8, content: u8) -> Request {
    Request {
        key: [key; 16],
        fingerprint: [content; 16],
    }
}

/// All of a game that can be told of it, as lines to be compared: its rule set by its digest.
pub(crate) fn told(game: &Game) -> String {
    let summary = game.summary();
    let moves: Vec<_> = game.moves().collect();
    format!(
        "{}\n{:?}\n{:?} {:?}\n{} {:?} {:?}\n{:?}\n{moves:?} {}\n{:?}",
        created_told(&summary.created),
        summary.start,
        summary.state,
        summary.seats,
        summary.seq,
        summary.create_time,
        summary.update_time,
        game.state(),
        game.plies(),
        game.rounds(),
    )
}

/// All that the first event of a game says, its rule set by its digest and text.
pub(crate) fn created_told(created: &mancala::game::Created) -> String {
    let mancala::game::Created {
        game_id,
        creator,
        variant,
        holes,
        seeds,
        rule_set,
        seats,
        target_wins,
        visibility,
        join_code,
        custom_start,
        rematch_of,
        imported,
        time_control,
    } = created;
    let (digest, text) = (rule_set.digest(), rule_set.text());
    format!(
        "{game_id} {creator} {variant} {holes} {seeds} {digest} {text} {seats:?} {target_wins} \
         {visibility:?} {join_code:?} {custom_start} {rematch_of:?} {imported:?} {time_control:?}"
    )
}
