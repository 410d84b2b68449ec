//! Games as text: what is exported, imported and exported again is the same, byte for byte.

use std::sync::{Arc, LazyLock};

use mancala::{
    catalog::{Catalog, Variant},
    game::{
        Command, EndReason, Game, GameId, Importer, NewGame, OfferKind, Seat, Status, Time,
        TimeControl, Transcript, TranscriptError, Visibility,
    },
    game::{Moment, Outages},
    rules::{BySide, Position, Rules, Side},
};
use proptest::prelude::*;
use uuid::Uuid;

use crate::support::{
    catalog_with_swap,
    chance::Chance,
    table::{ALICE, BOB, CAROL, Table, new_game},
    variants,
};

/// The built-in variants, and one with a swap of sides.
fn catalog() -> &'static Arc<Catalog> {
    static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(catalog_with_swap);
    &CATALOG
}

fn all_variants() -> Vec<&'static Variant> {
    catalog().iter().map(|variant| &**variant).collect()
}

fn names() -> BySide<String> {
    BySide {
        south: r#"Ann "the \ hand""#.into(),
        north: "Bó".into(),
    }
}

fn export(game: &Game) -> String {
    game.export(&names())
}

const IMPORTER: Importer = Importer {
    player: CAROL,
    game_id: GameId(Uuid::from_u128(8)),
    visibility: Visibility::Public,
};

fn import(text: &str) -> Result<Game, TranscriptError> {
    let imported = Transcript::parse(text)?.replay(catalog(), IMPORTER)?;
    let record = imported.create(None, Time(5));
    Ok(Game::replay(&[record]).unwrap())
}

/// A position that a game of a variant comes to.
fn some_start(variant: &Variant, chance: &mut Chance) -> (Arc<Rules>, Position) {
    let mut table = Table::new(NewGame {
        first: *chance.of(&Side::BOTH),
        ..any_board(variant, chance)
    });
    for _ in 0..chance.below(60) {
        let before = table.game.state().position;
        table.play_any(chance);
        if table.game.state().result.is_some() {
            return (table.game.rules().clone(), before);
        }
    }
    (table.game.rules().clone(), table.game.state().position)
}

fn any_board(variant: &Variant, chance: &mut Chance) -> NewGame {
    let definition = variant.rule_set().definition();
    let mut within =
        |min: u8, max: u8| u32::from(min) + chance.below((max - min + 1).into()) as u32;
    let (holes, seeds) = (definition.holes, definition.seed_range());
    let holes = within(holes.min, holes.max);
    let seeds = within(seeds.min, seeds.max);
    let exists = variant.rule_set().board(Some(holes), Some(seeds)).is_ok();
    NewGame {
        variant: variant.id.clone(),
        rule_set: variant.rule_set().clone(),
        holes: exists.then_some(holes),
        seeds: exists.then_some(seeds),
        ..new_game(variants()[0])
    }
}

/// A game that isn't played yet: any board, start, series.
fn any_game(variant: &Variant, chance: &mut Chance) -> Table {
    let mut new = any_board(variant, chance);
    new.first = *chance.of(&Side::BOTH);
    match chance.below(3) {
        0 => {
            (new.holes, new.seeds) = (None, None);
            new.start = Some(some_start(variant, chance));
        }
        1 if variant.rule_set().definition().rounds.is_none() => {
            new.target_wins = 2 + chance.below(2) as u32;
        }
        _ => {}
    }
    Table::new(new)
}

/// Plays for a while, with some moves taken back.
fn play_on(table: &mut Table, most: usize, chance: &mut Chance) {
    for _ in 0..most {
        if table.game.state().result.is_some() {
            return;
        }
        if chance.below(8) > 0 {
            table.play_any(chance);
            continue;
        }
        let (player, other) = *chance.of(&[(ALICE, BOB), (BOB, ALICE)]);
        let ask = Command::Offer {
            kind: OfferKind::Takeback,
            side: None,
            expected_turn: None,
        };
        if let Ok(record) = table.act(player, &ask) {
            let (offer, accept) = (record.state.offer.unwrap().id, true);
            table
                .act(other, &Command::Answer { offer, accept })
                .unwrap();
        }
    }
}

/// Ends a game that may not be over by a player's word.
fn end(table: &mut Table, chance: &mut Chance) {
    if table.game.state().result.is_some() {
        return;
    }
    if chance.below(3) == 0 && table.act(ALICE, &Command::Abort).is_ok() {
        return;
    }
    if chance.below(2) == 0 {
        let player = *chance.of(&[ALICE, BOB]);
        table.act(player, &Command::Resign { side: None }).unwrap();
        return;
    }
    for player in [ALICE, BOB] {
        let draw = Command::Offer {
            kind: OfferKind::Draw,
            side: None,
            expected_turn: None,
        };
        table.act(player, &draw).unwrap();
    }
}

/// What an imported game has of the game that its text is of, as lines to be compared.
fn told(game: &Game) -> String {
    let (summary, state, created) = (game.summary(), game.state(), game.created());
    let moves: Vec<_> = game.moves().collect();
    format!(
        "{} {} {} {} {} {}\n{:?}\n{:?} {} {} {:?} {:?} {:?}\n{moves:?}\n{:?}",
        created.variant,
        created.rule_set.digest(),
        created.holes,
        created.seeds,
        created.target_wins,
        created.custom_start,
        summary.start,
        state.position,
        state.ply,
        state.round,
        state.status,
        state.result,
        state.offer,
        game.rounds(),
    )
}

/// The same game spelt otherwise: optional tags left out, others in another order, other spaces.
fn respelt(text: &str, game: &Game, chance: &mut Chance) -> String {
    let (tags, moves) = text.split_once("\n\n").unwrap();
    let mut optional = vec!["Rules", "Score"];
    let definition = game.created().rule_set.definition();
    if game.created().custom_start || game.created().holes == definition.holes.default {
        optional.push("Holes");
    }
    if game.created().custom_start || game.created().seeds == definition.seeds {
        optional.push("Seeds");
    }
    let mut tags: Vec<_> = tags.lines().collect();
    tags.retain(|tag| {
        let name = tag[1..].split(' ').next().unwrap();
        !optional.contains(&name) || chance.below(2) == 0
    });
    let turned = chance.below(tags.len());
    tags.rotate_left(turned);
    let marked = chance.below(2) == 0;
    let moves = moves.split_whitespace();
    let moves: Vec<_> = moves
        .filter(|word| marked || !word.ends_with(':'))
        .collect();
    let mut space = || *chance.of(&["\n", "\r\n", "  ", " \n\n ", "\r\n\r\n"]);
    let (tags, moves) = (tags.join(space()), moves.join(space()));
    format!("{}{tags}{}{moves}{}", space(), space(), space())
}

/// Lines of moves are filled: the next word would not have gone on the line, unless it begins a round.
fn assert_filled(text: &str) {
    let (_, moves) = text.split_once("\n\n").unwrap();
    let lines: Vec<_> = moves.lines().collect();
    for line in &lines {
        assert!((1..=80).contains(&line.len()), "{line:?}");
        assert_eq!(
            line.split(' ').collect::<Vec<_>>(),
            line.split_whitespace().collect::<Vec<_>>()
        );
    }
    for pair in lines.windows(2) {
        let next = pair[1].split(' ').next().unwrap();
        assert!(
            next.ends_with(':') || pair[0].len() + 1 + next.len() > 80,
            "{pair:?}"
        );
    }
    assert!(moves.is_empty() || moves.ends_with('\n'));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_imported_is_exported_again_byte_for_byte(
        seed in any::<u64>(),
        variant in prop::sample::select(all_variants()),
        most in prop::sample::select(vec![0, 1, 2, 5, 30, 100, 100_000]),
    ) {
        let mut chance = Chance::new(seed);
        let mut table = any_game(variant, &mut chance);
        play_on(&mut table, most, &mut chance);
        if table.game.state().result.is_none() {
            let open = export(&table.game);
            let place = import(&open).unwrap_err().place;
            let result = open.lines().position(|line| line == "[Result \"*\"]").unwrap();
            prop_assert_eq!((place.line as usize, place.column), (result + 1, 9));
        }
        end(&mut table, &mut chance);
        let text = export(&table.game);
        assert_filled(&text);
        let imported = import(&text).unwrap();
        prop_assert_eq!(told(&imported), told(&table.game));
        let nobody = BySide::default();
        prop_assert_eq!(imported.export(&nobody), &*text);
        let respelt = respelt(&text, &table.game, &mut chance);
        let again = import(&respelt).map_err(|error| TestCaseError::fail(format!("{error}: {respelt}")))?;
        prop_assert_eq!(again.export(&nobody), text);
    }

    #[test]
    fn a_spoilt_text_is_refused_or_is_another_game(
        seed in any::<u64>(),
        variant in prop::sample::select(all_variants()),
    ) {
        let mut chance = Chance::new(seed);
        let mut table = any_game(variant, &mut chance);
        play_on(&mut table, 40, &mut chance);
        end(&mut table, &mut chance);
        let text = export(&table.game);
        for _ in 0..50 {
            let spoilt = spoil(&text, &mut chance);
            match import(&spoilt) {
                Ok(game) => {
                    let told = game.export(&BySide::default());
                    let again = import(&told).unwrap();
                    prop_assert_eq!(again.export(&BySide::default()), told);
                }
                Err(error) => {
                    let lines: Vec<_> = spoilt.split('\n').collect();
                    let line = lines[error.place.line as usize - 1];
                    let columns = 1..=line.chars().count() as u32 + 1;
                    prop_assert!(columns.contains(&error.place.column), "{error}: {spoilt}");
                }
            }
        }
    }
}

/// A text with some characters, words or lines changed.
fn spoil(text: &str, chance: &mut Chance) -> String {
    let mut text = text.to_owned();
    for _ in 0..=chance.below(3) {
        let separator = *chance.of(&["", " ", "\n", "\"", "["]);
        let mut parts: Vec<_> = match separator {
            "" => text.chars().map(String::from).collect(),
            _ => text.split(separator).map(String::from).collect(),
        };
        let new = *chance.of(&[
            "a",
            "C",
            "j",
            "1",
            ":",
            "2:",
            "swap",
            "SWAP",
            "\"",
            "\\",
            "[",
            "]",
            " ",
            "\n",
            "\r",
            "\t",
            "é",
            "0",
            "-",
            "Draw",
            "South",
            "[Rules \"\"]",
            "*",
            "4294967296",
            "",
        ]);
        let (at, other) = (chance.below(parts.len()), chance.below(parts.len()));
        match chance.below(5) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, new.into()),
            2 => parts[at] = new.into(),
            3 => parts.swap(at, other),
            _ => parts.truncate(at),
        }
        text = parts.join(separator);
        if text.is_empty() {
            break;
        }
    }
    text
}

/// The first round of a series of En Dodoi that South wins by 43 to 5.
#[test]
fn a_series_is_marked_by_its_rounds() {
    let mut table = Table::series("en-dodoi", 2);
    table.play_line("eDbFcEb");
    table.play_line("Dc");
    table.act(BOB, &Command::Resign { side: None }).unwrap();
    let digest = catalog().get("en-dodoi").unwrap().rule_set().digest();
    let expected = format!(
        r#"[Variant "en-dodoi"]
[Rules "{digest}"]
[Holes "6"]
[Seeds "4"]
[South "Ann \"the \\ hand\""]
[North "Bó"]
[Date "1970-01-01"]
[TargetWins "2"]
[Result "South"]
[Reason "resignation"]
[Score "1-0"]

1: e D b F c E b
2: D c
"#
    );
    assert_eq!(export(&table.game), expected);
}

#[test]
fn the_first_mark_of_a_match_from_a_position_is_its_round() {
    let mut table = Table::from("bosh", "0,0,0,1,0/0,0,0,0,0 15-24 S round=3");
    table.play_line("d");
    table.play_line("a");
    let text = export(&table.game);
    let (tags, moves) = text.split_once("\n\n").unwrap();
    assert_eq!(moves, "3: d\n4: A\n");
    assert!(tags.ends_with("[Start \"0,0,0,1,0/0,0,0,0,0 15-24 S round=3\"]\n[Result \"*\"]"));
    assert!(!tags.contains("[First "));
}

#[test]
fn a_game_without_moves_ends_after_the_blank_line() {
    let mut table = Table::new(NewGame {
        first: Side::North,
        seats: BySide {
            south: Seat::Player(ALICE),
            north: Seat::Open,
        },
        ..new_game("kalah")
    });
    let text = export(&table.game);
    assert!(text.ends_with("[First \"North\"]\n[Result \"*\"]\n\n"));
    table.act(ALICE, &Command::Abort).unwrap();
    let text = export(&table.game);
    assert!(text.ends_with("[Result \"None\"]\n[Reason \"aborted\"]\n[Score \"0-0\"]\n\n"));
    let imported = import(&text).unwrap();
    assert_eq!(imported.state().status, Status::Aborted);
    assert_eq!(imported.export(&names()), text);
}

#[test]
fn a_game_lost_by_time_says_so_and_not_how_much_there_was() {
    let time_control = TimeControl::PerMove(1_000);
    let mut table = Table::new(NewGame {
        time_control,
        ..new_game("oware")
    });
    table.play_line("aa");
    let outages = Outages::default();
    let moment = Moment::at(Time(table.now.0 + 1_000), &outages);
    let record = table.game.time_out(&moment).unwrap();
    table.game.apply(&record).unwrap();
    let text = export(&table.game);
    assert!(text.contains("[Result \"North\"]\n[Reason \"timeout\"]\n[Score \"0-0\"]\n"));
    let imported = import(&text).unwrap();
    assert_eq!(imported.state().result, table.game.state().result);
    assert_eq!(imported.state().clocks.running, None);
    assert_eq!(imported.created().time_control, TimeControl::default());
    assert_eq!(imported.export(&names()), text);
    let drawn = text.replace("[Result \"North\"]", "[Result \"Draw\"]");
    assert!(import(&drawn).is_err());
}

#[test]
fn a_swap_is_a_word_in_its_movers_case() {
    let variant = catalog().get("pie-kalah").unwrap();
    let mut table = Table::new(NewGame {
        variant: variant.id.clone(),
        rule_set: variant.rule_set().clone(),
        ..new_game("kalah")
    });
    for hole in [2, 5, 6, 0] {
        table.play(hole);
    }
    table.act(ALICE, &Command::Resign { side: None }).unwrap();
    let text = export(&table.game);
    assert!(text.ends_with("\n\nc f SWAP a\n"));
    assert_eq!(import(&text).unwrap().export(&names()), text);
}

#[test]
fn dates_are_days_in_utc() {
    let cases = [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (951_782_399_999, "2000-02-28"),
        (951_782_400_000, "2000-02-29"),
        (951_868_800_000, "2000-03-01"),
        (1_796_083_199_999, "2026-11-30"),
        (4_107_542_400_000, "2100-03-01"),
        (253_402_300_799_999, "9999-12-31"),
        (253_402_300_800_000, ""),
        (i64::MAX, ""),
        (i64::MIN, ""),
    ];
    for (time, date) in cases {
        let record = new_game("bosh").create(None, Time(time)).unwrap();
        let game = Game::replay(&[record]).unwrap();
        let text = export(&game);
        assert!(
            text.contains(&format!("[Date \"{date}\"]\n")),
            "{time}: {text}"
        );
    }
}

/// Repetition ends a game by its history, which a text has and a position has not.
#[test]
fn repetition_is_found_again() {
    let mut table = Table::from("sadeqa-ii", "1,0,0,0,0,1/0,0,0,1,1,0 0-0 S");
    table.play_line("fDbFdBfDbFdB");
    let text = export(&table.game);
    assert!(text.contains("[Result \"Draw\"]\n[Reason \"repetition\"]\n"));
    assert_eq!(import(&text).unwrap().export(&names()), text);
    let longer = format!("{}f\n", text.trim_end());
    let error = import(&longer.replace("Bf", "B f")).unwrap_err();
    assert_eq!(error.place.column, 25);
}

#[test]
fn a_game_of_ten_thousand_moves_is_imported() {
    let mut table = Table::series("adji-boto", 100);
    let mut chance = Chance::new(9);
    while table.game.state().result.is_none() {
        table.play_any(&mut chance);
    }
    assert_eq!(table.game.plies(), mancala::game::MAX_PLIES);
    let text = export(&table.game);
    assert!(text.len() < 60 * 1024);
    let imported = import(&text).unwrap();
    assert_eq!(told(&imported), told(&table.game));
    assert_eq!(imported.export(&names()), text);
    assert!(import(&format!("{text}a\n")).is_err());
}

#[test]
fn an_imported_game_is_its_importers_and_over() {
    let mut table = Table::new(new_game("oware"));
    table.play(2);
    table.act(BOB, &Command::Resign { side: None }).unwrap();
    let game = import(&export(&table.game)).unwrap();
    assert_eq!(game.seq(), 1);
    assert_eq!(game.created().creator, CAROL);
    assert_eq!(game.summary().create_time, Time(5));
    assert_eq!(game.summary().owners().collect::<Vec<_>>(), [CAROL]);
    let result = game.state().result.unwrap();
    assert_eq!(
        (result.winner, result.reason),
        (Some(Side::South), EndReason::Resignation)
    );
    for player in [ALICE, CAROL] {
        for command in [
            crate::support::table::play(0),
            Command::Resign { side: None },
            Command::Abort,
            Command::Join {
                side: None,
                join_code: String::new(),
            },
        ] {
            assert!(
                game.decide(
                    &command,
                    player,
                    None,
                    &Moment::at(Time(9), &Outages::default())
                )
                .is_err()
            );
        }
        assert!(game.may_rematch(player, None).is_err());
    }
}

#[test]
fn the_example_of_the_readme_is_a_game() {
    let readme = include_str!("../../../README.md");
    let (_, rest) = readme.split_once("### Games as text").unwrap();
    let (_, rest) = rest.split_once("```text\n[Variant").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let example = format!("[Variant{example}");
    assert_eq!(import(&example).unwrap().export(&names()), example);
}

#[test]
fn an_import_that_is_told_to_stop_plays_no_further() {
    let mut table = Table::new(new_game("kalah"));
    table.play(0);
    table.act(BOB, &Command::Resign { side: None }).unwrap();
    let text = export(&table.game);
    let text = Transcript::parse(&text).unwrap();
    let stopped = text.replay_while(catalog(), IMPORTER, &mut || false);
    assert!(stopped.unwrap_err().to_string().contains("any further"));
}
