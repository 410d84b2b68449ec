//! Moves as text for `ApplyMoves`, as `ExportGame` writes them.

use mancala::{
    game::NewGame,
    grpc::{
        Reason,
        proto::{ApplyMovesRequest, Position},
    },
    rules::{BySide, Side},
};

use crate::support::{
    catalog_with_swap,
    chance::Chance,
    client::text,
    server::Server,
    status::{refused, refused_field, refused_text},
    table::{Table, new_game},
};

fn apply(position: Position, move_text: &str) -> ApplyMovesRequest {
    ApplyMovesRequest {
        position: Some(position),
        omit_steps: true,
        move_text: move_text.into(),
        ..ApplyMovesRequest::default()
    }
}

#[tokio::test]
async fn what_export_writes_can_be_applied() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = catalog_with_swap();
    let server = Server::start_with(folder.path(), catalog.clone()).await;
    let mut rules = server.stranger().rules();
    let mut chance = Chance::new(3);
    let games = catalog
        .iter()
        .flat_map(|variant| [(variant, 1), (variant, 2)]);
    for (variant, target_wins) in games {
        let series = variant.rule_set().definition().rounds.is_none();
        let mut table = Table::new(NewGame {
            variant: variant.id.clone(),
            rule_set: variant.rule_set().clone(),
            first: *chance.of(&Side::BOTH),
            target_wins: if series { target_wins } else { 1 },
            ..new_game("bosh")
        });
        while table.game.plies() < 300 && table.game.state().result.is_none() {
            table.play_any(&mut chance);
        }
        let game = &table.game;
        let start = || {
            text(
                &variant.id,
                &game.rules().text(&game.summary().start).to_string(),
            )
        };
        let exported = game.export(&BySide::default());
        let (_, moves) = exported.split_once("\n\n").unwrap();
        let (first_round, _) = moves.split_once("\n2:").unwrap_or((moves, ""));
        let mut words: Vec<_> = first_round.split_whitespace().collect();
        let marked = usize::from(words[0].ends_with(':'));
        words.truncate(256 + marked);
        let holes = game.moves().filter(|(_, _, round)| *round == 1).take(256);
        let by_holes = ApplyMovesRequest {
            moves: holes.map(|(_, hole, _)| hole.into()).collect(),
            ..apply(start(), "")
        };
        let expected = rules.apply_moves(by_holes).await.unwrap().into_inner();
        assert_eq!(expected.outcomes.len(), words.len() - marked);
        for words in [
            words.join(" "),
            words.join("\r\n"),
            words[marked..].join("  "),
        ] {
            let request = apply(start(), &words);
            let applied = rules.apply_moves(request).await.unwrap().into_inner();
            assert_eq!(applied, expected);
        }
    }
}

const START: &str = "4,4,4,4,4/4,4,4,4,4 0-0 S round=1";

/// South's only move ends the round, and North begins the next.
const BOSH: &str = "0,0,0,1,0/0,0,0,0,0 15-24 S round=3";

#[tokio::test]
async fn bad_move_text_is_refused_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let bosh = || text("bosh", BOSH);
    rules
        .apply_moves(apply(bosh(), "3: d\n4: A"))
        .await
        .unwrap();
    let cases = [
        ("d ?", (1, 3)),
        ("d\n k", (2, 2)),
        ("d\nAb", (2, 1)),
        ("[Variant \"bosh\"]", (1, 1)),
        ("3:", (1, 1)),
        ("d 4: 4: A", (1, 3)),
        ("d 4:", (1, 3)),
        ("D", (1, 1)),
        ("d a", (1, 3)),
        ("4: d", (1, 1)),
        ("3: d 3: A", (1, 6)),
    ];
    for (bad, place) in cases {
        let rule = refused_text(
            rules.apply_moves(apply(bosh(), bad)).await,
            "move_text",
            place,
        );
        assert_eq!(rule, None, "{bad}");
    }
    let both = ApplyMovesRequest {
        moves: vec![3],
        ..apply(bosh(), "d")
    };
    let long = "a ".repeat(257);
    for bad in [both, apply(bosh(), " \n"), apply(bosh(), &long)] {
        let answer = rules.apply_moves(bad).await;
        refused_field(answer, Reason::InvalidField, "move_text");
    }
}

#[tokio::test]
async fn illegal_moves_of_a_text_are_told_as_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let last = text("oware", "0,2,0,0,1,3/1,2,1,0,0,6 18-14 S");
    let cases = [
        (
            text("bosh", START),
            "1: e A",
            Reason::IllegalMove,
            "HOLE_EMPTY",
            "move_text[1]",
        ),
        (last, "f A", Reason::GameOver, "GAME_OVER", "move_text[1]"),
    ];
    for (position, moves, reason, kind, subject) in cases {
        let details = refused(rules.apply_moves(apply(position, moves)).await, reason);
        let failure = details.precondition_failure().unwrap();
        let violation = &failure.violations[0];
        assert_eq!(
            (violation.r#type.as_str(), violation.subject.as_str()),
            (kind, subject)
        );
    }
    for nowhere in ["e F", "e SWAP"] {
        let answer = rules.apply_moves(apply(text("bosh", START), nowhere)).await;
        refused_field(answer, Reason::HoleOutOfRange, "move_text[1]");
    }
}
