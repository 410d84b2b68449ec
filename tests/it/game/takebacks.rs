//! Moves that are taken back: the game is then the one in which they were never made.

use mancala::{
    game::{
        Answered, Command, Decision, Event, Game, MAX_TAKEBACKS, NewGame, OfferKind, PlayerId,
        Record, Refusal, Status, Time,
    },
    game::{Moment, Outages},
    rules::Side,
};
use proptest::prelude::*;

use crate::support::{
    catalog_with_swap,
    chance::Chance,
    definition,
    table::{ALICE, BOB, Table, new_game, parsed, play, told},
    variants,
};

impl Table {
    /// A side asks for a takeback.
    fn ask(&mut self, side: Side) -> Result<u64, Refusal> {
        let [asker, _] = players(side);
        let ask = Command::Offer {
            kind: OfferKind::Takeback,
            side: None,
            expected_turn: None,
        };
        Ok(self.act(asker, &ask)?.seq)
    }

    /// The other side agrees to what a side has asked for. Gives how many moves are taken back.
    fn agree(&mut self, asker: Side) -> u32 {
        let offer = self.game.state().offer.unwrap().id;
        let [_, other] = players(asker);
        let accept = true;
        let record = self.act(other, &Command::Answer { offer, accept }).unwrap();
        let Event::Answered(answered) = &record.event else {
            panic!("an answer")
        };
        let Answered { taken_back, .. } = &**answered;
        taken_back.as_ref().expect("moves were taken back").moves
    }

    /// A side takes its last move back, and the other agrees. Gives how many moves it was.
    #[track_caller]
    fn take_back(&mut self, side: Side) -> u32 {
        self.ask(side).unwrap();
        self.agree(side)
    }
}

/// Who asks for a side, and who answers.
fn players(side: Side) -> [PlayerId; 2] {
    match side {
        Side::South => [ALICE, BOB],
        Side::North => [BOB, ALICE],
    }
}

/// A game in which only those moves were made that stand in this one.
fn as_it_stands(table: &Table, new: NewGame) -> Table {
    let mut fresh = Table::new(new);
    for (mover, hole, round) in table.game.moves() {
        let state = fresh.game.state();
        assert_eq!(
            (state.position.to_move(), state.round),
            (Some(mover), round)
        );
        fresh.play(hole);
    }
    fresh
}

/// All that a game is, but for how often it was changed: as lines to be compared.
fn standing(game: &Game) -> String {
    let state = game.state();
    let legal: Vec<_> = match state.status {
        Status::Active => game.rules().legal_moves(&state.position).iter().collect(),
        _ => Vec::new(),
    };
    let moves: Vec<_> = game.moves().collect();
    format!(
        "{:?} {} {:?} {} {:?} {:?}\n{legal:?}\n{moves:?}\n{:?}",
        state.position,
        state.ply,
        state.status,
        state.round,
        state.result,
        state.offer,
        game.rounds(),
    )
}

/// Games whose positions come back soon, beside those from the start.
const CIRCLING: [(&str, &str); 4] = [
    ("en-dodoi", "0,1,1,0,0,0/0,0,0,1,0,1 21-23 S"),
    ("sadeqa-ii", "1,0,0,0,0,1/0,0,0,1,1,0 0-0 S"),
    ("oware", "1,0,0,0,0,0/1,0,0,0,0,0 22-24 S"),
    ("bosh", "0,0,0,1,0/0,0,0,1,0 19-19 S round=1"),
];

/// A new game: of a variant from its start, or one that circles.
fn game_of(choice: usize, target_wins: u32) -> NewGame {
    let variants = variants();
    match variants.get(choice) {
        Some(variant) => NewGame {
            target_wins: match definition(variant).rounds {
                Some(_) => 1,
                None => target_wins,
            },
            ..new_game(variant)
        },
        None => {
            let (variant, start) = CIRCLING[choice - variants.len()];
            NewGame {
                start: Some(parsed(variant, start)),
                ..new_game(variant)
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_game_with_takebacks_is_the_game_of_the_moves_that_stand(
        seed in any::<u64>(),
        choice in 0..variants().len() + CIRCLING.len(),
        target_wins in 1_u32..3,
        most in 1_usize..120,
        often in 2_usize..8,
    ) {
        let mut chance = Chance::new(seed);
        let mut table = Table::new(game_of(choice, target_wins));
        let (mut made, mut taken, mut rounds) = (0, 0, 0);
        for _ in 0..most {
            if table.game.state().result.is_some() {
                break;
            }
            let side = *chance.of(&Side::BOTH);
            let before = table.game.plies();
            if chance.below(often) == 0 {
                match table.ask(side) {
                    Ok(offer) => {
                        let [_, other] = players(side);
                        let accept = chance.below(4) > 0;
                        table.act(other, &Command::Answer { offer, accept }).unwrap();
                        taken += u32::from(accept);
                        prop_assert_eq!(accept, table.game.plies() < before);
                    }
                    Err(Refusal::NothingToTakeBack | Refusal::OfferRepeated) => {}
                    Err(other) => panic!("{other}"),
                }
            } else {
                let round = table.game.state().round;
                let after = table.play_any(&mut chance).state.round;
                made += 1;
                rounds += after - round;
            }
            let state = table.game.state();
            prop_assert_eq!(state.turn, made + taken + rounds, "it never goes back");
        }
        let mut fresh = as_it_stands(&table, game_of(choice, target_wins));
        prop_assert_eq!(standing(&table.game), standing(&fresh.game));
        let mut replayed = Game::replay(&table.log).unwrap();
        prop_assert_eq!(told(&replayed), told(&table.game));

        // They also go on alike, for as long as it takes what stood before to come back.
        for _ in 0..300 {
            if table.game.state().result.is_some() {
                break;
            }
            let record = table.play_any(&mut chance).clone();
            let Event::Moved(moved) = &record.event else { panic!("a move") };
            fresh.play(moved.hole);
            replayed.apply(&record).unwrap();
            prop_assert_eq!(standing(&table.game), standing(&fresh.game));
        }
        prop_assert_eq!(told(&replayed), told(&table.game));
        prop_assert_eq!(told(&Game::replay(&table.log).unwrap()), told(&table.game));
    }

    #[test]
    fn a_log_with_takebacks_gives_the_live_state_at_every_moment(
        seed in any::<u64>(),
        choice in 0..variants().len() + CIRCLING.len(),
    ) {
        let mut chance = Chance::new(seed);
        let mut table = Table::new(game_of(choice, 2));
        let mut was = vec![told(&table.game)];
        while table.game.state().result.is_none() && table.log.len() < 60 {
            let side = *chance.of(&Side::BOTH);
            if chance.below(3) > 0 {
                table.play_any(&mut chance);
            } else if table.ask(side).is_ok() {
                was.push(told(&table.game));
                table.agree(side);
            } else {
                continue;
            }
            was.push(told(&table.game));
        }
        for (end, then) in was.iter().enumerate() {
            let replayed = Game::replay(&table.log[..=end]).unwrap();
            prop_assert_eq!(&told(&replayed), then);
        }
        // A replayed game decides alike, also what may be offered.
        let replayed = Game::replay(&table.log).unwrap();
        let offers = [OfferKind::Draw, OfferKind::Takeback].map(|kind| Command::Offer {
            kind,
            side: None,
            expected_turn: None,
        });
        let holes = u32::from(table.game.rules().holes());
        for command in (0..holes).map(play).chain(offers) {
            for player in [ALICE, BOB] {
                let decide = |game: &Game| game.decide(&command, player, None, &Moment::at(Time(0), &Outages::default()));
                let (live, again) = (decide(&table.game), decide(&replayed));
                prop_assert_eq!(format!("{live:?}"), format!("{again:?}"));
            }
        }
    }
}

#[test]
fn standings_that_were_taken_back_do_not_count() {
    // Oware ends at the second standing: were the first still counted, this would be it.
    let (variant, start) = CIRCLING[2];
    let mut table = Table::from(variant, start);
    for _ in 0..3 {
        table.play_line("a");
        assert_eq!(table.take_back(Side::South), 1);
    }
    table.play_line("aAbBcCdDeE");
    assert_eq!(table.take_back(Side::South), 2);
    table.play_line("eE");
    assert_eq!(table.game.state().result, None);
    table.play_line("fF");
    assert!(table.game.state().result.is_some());
}

#[test]
fn standings_before_what_was_taken_back_still_count() {
    let (variant, start) = CIRCLING[1];
    let mut table = Table::from(variant, start);
    table.play_line("fDbFdB");
    assert_eq!(table.text(), start, "the second standing");
    table.play_line("fDbFd");
    assert_eq!(table.take_back(Side::North), 2);
    assert_eq!(table.take_back(Side::South), 1);
    table.play_line("bFd");
    assert_eq!(table.game.state().result, None);
    table.play_line("B");
    assert!(table.game.state().result.is_some(), "the third");
}

/// What stood before a capture stands again, but nothing that stood before an earlier one.
#[test]
fn what_a_capture_had_settled_is_open_again() {
    let mut chance = Chance::new(3);
    for variant in variants() {
        let mut table = Table::new(new_game(variant));
        let mut captures = 0;
        let captor = loop {
            if table.game.state().result.is_some() {
                table = Table::new(new_game(variant));
            }
            let Event::Moved(moved) = table.play_any(&mut chance).event.clone() else {
                panic!("a move")
            };
            let state = table.game.state();
            captures = match state.ply {
                0 | 1 => 0,
                _ => captures + u32::from(moved.captured > 0),
            };
            if moved.captured > 0 && captures > 1 && state.result.is_none() {
                break moved.mover;
            }
        };
        assert_eq!(table.take_back(captor), 1);
        let fresh = as_it_stands(&table, new_game(variant));
        assert_eq!(standing(&table.game), standing(&fresh.game), "{variant}");
        let quiet = fresh.log.iter().rev().take_while(
            |record| matches!(&record.event, Event::Moved(moved) if moved.captured == 0),
        );
        let most = 1 + quiet.count();
        let Event::Answered(answered) = &table.log.last().unwrap().event else {
            panic!("an answer")
        };
        let standings = &answered.taken_back.as_ref().unwrap().standings;
        assert!(standings.len() <= most, "{variant}: {}", standings.len());
    }
}

#[test]
fn openings_are_taken_back() {
    let mut table = Table::new(new_game("adji-boto"));
    let opened = |table: &Table| {
        let text = table.text();
        text.split("opened=").nth(1).unwrap().to_owned()
    };
    assert_eq!(opened(&table), "00000/00000");
    table.play_line("cB");
    assert_eq!(opened(&table), "00100/01000");
    assert_eq!(table.take_back(Side::North), 1);
    assert_eq!(opened(&table), "00100/00000");
    assert_eq!(table.take_back(Side::South), 1);
    assert_eq!(opened(&table), "00000/00000");
    // The hole may be opened anew.
    table.play_line("cB");
    assert_eq!(opened(&table), "00100/01000");

    let mut table = Table::new(new_game("sadeqa-ii"));
    table.play_line("fF");
    assert!(!table.text().contains("opened="));
    table.take_back(Side::North);
    assert_eq!(opened(&table), "1/0");
    let not_first = table.act(BOB, &play(0)).unwrap_err();
    assert!(matches!(not_first, Refusal::Illegal(_)), "{not_first}");
    table.take_back(Side::South);
    assert_eq!(opened(&table), "0/0");
}

#[test]
fn moves_in_a_row_are_taken_back_one_by_one() {
    let mut table = Table::new(new_game("kalah"));
    table.play_line("cfA");
    let texts = |table: &Table| (table.text(), table.game.state().ply);
    // North's move comes after both of South's.
    assert_eq!(table.take_back(Side::South), 2);
    assert_eq!(texts(&table).1, 1);
    assert_eq!(table.text(), "4,4,0,5,5,5/4,4,4,4,4,4 1-0 S");
    assert_eq!(table.take_back(Side::South), 1);
    assert_eq!(table.text(), "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S");
    assert_eq!(table.ask(Side::South), Err(Refusal::NothingToTakeBack));
}

#[test]
fn a_swap_of_sides_is_taken_back() {
    let catalog = catalog_with_swap();
    let mut table = Table::new(NewGame {
        rule_set: catalog.get("pie-kalah").unwrap().rule_set().clone(),
        ..new_game("kalah")
    });
    table.play_line("cf");
    let before = table.text();
    table.act(BOB, &play(6)).unwrap();
    assert_eq!(table.take_back(Side::North), 1);
    assert_eq!(table.text(), before);
    table.act(BOB, &play(6)).unwrap();
    // South's own moves are those that South made, whoever's seeds they became.
    assert_eq!(table.take_back(Side::South), 2);
    assert_eq!(table.game.state().ply, 1);
}

#[test]
fn a_thousand_takebacks_are_the_most() {
    let mut table = Table::new(new_game("en-dodoi"));
    assert_eq!(MAX_TAKEBACKS, 1_000);
    for _ in 0..MAX_TAKEBACKS {
        table.play(4);
        table.take_back(Side::South);
    }
    table.play(4);
    assert_eq!(table.ask(Side::South), Err(Refusal::TooManyTakebacks));
    table.play(3);
    assert_eq!(table.ask(Side::North), Err(Refusal::TooManyTakebacks));
    assert_eq!(table.game.state().turn, 2 * MAX_TAKEBACKS + 2);
    // Also after a restart; and everything else goes on.
    let mut replayed = Game::replay(&table.log).unwrap();
    std::mem::swap(&mut table.game, &mut replayed);
    assert_eq!(told(&table.game), told(&replayed));
    assert_eq!(table.ask(Side::South), Err(Refusal::TooManyTakebacks));
    table.play(1);
    let draw = Command::Offer {
        kind: OfferKind::Draw,
        side: None,
        expected_turn: None,
    };
    let decided = table.request(ALICE, &draw, None).unwrap();
    assert!(matches!(decided, Decision::New(_)));
}

/// A game without captures, up to where no other move is left.
fn quiet_game(seed: u64) -> Table {
    let mut chance = Chance::new(seed);
    let mut table = Table::from("adji-boto", "6,7,8,7,7/6,7,8,7,7 15-15 S");
    loop {
        let (rules, position) = (table.game.rules(), &table.game.state().position);
        let quiet = |hole: &u8| rules.play(position, (*hole).into()).unwrap().captured == 0;
        let holes: Vec<u8> = rules.legal_moves(position).iter().filter(quiet).collect();
        if holes.is_empty() || table.game.plies() == 200 {
            return table;
        }
        table.play(*chance.of(&holes));
    }
}

/// Positions that can come back are kept with each takeback, and bounded over all of them.
#[test]
fn many_positions_that_can_come_back_leave_fewer_takebacks() {
    // Of moves that capture nothing, so that every position can come back.
    let mut table = (0..100)
        .map(quiet_game)
        .max_by_key(|table| table.game.plies())
        .unwrap();
    assert!(table.game.plies() > 50, "{}", table.game.plies());
    let mut taken = 0;
    let refusal = loop {
        let (mover, hole, _) = table.game.moves().last().unwrap();
        if let Err(refusal) = table.ask(mover) {
            break refusal;
        }
        assert_eq!(table.agree(mover), 1);
        table.play(hole);
        taken += 1;
    };
    assert_eq!(refusal, Refusal::TooManyTakebacks);
    let kept = |record: &Record| match &record.event {
        Event::Answered(answered) => answered
            .taken_back
            .as_ref()
            .map_or(0, |it| it.standings.len()),
        _ => 0,
    };
    let kept: usize = table.log.iter().map(kept).sum();
    assert!(
        (9_000..=10_000).contains(&kept),
        "{kept} in {taken} takebacks"
    );
}
