//! `RulesService`: the variants, and three ways to ask of a position that must agree.

use mancala::grpc::proto::{
    ApplyMovesRequest, CountMovesRequest, EnumerateMovesRequest, GetStartPositionRequest,
    GetVariantRequest, ListVariantsRequest, MoveOutcome, Position, Side, step,
};

use crate::support::{chance::Chance, client::text, definition, server::Server, variants};

#[tokio::test]
async fn variants_are_listed_and_described() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let (mut ids, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = ListVariantsRequest {
            page_size: 3,
            page_token,
        };
        let page = rules.list_variants(request).await.unwrap().into_inner();
        for summary in page.variants {
            let variant = summary.variant.clone();
            let got = rules
                .get_variant(GetVariantRequest { variant })
                .await
                .unwrap();
            let got = got.into_inner().variant.unwrap();
            assert_eq!(got.summary.as_ref(), Some(&summary));
            assert!(!got.sources.is_empty() && !got.decisions.is_empty());
            assert!(!got.rules.is_empty() && !got.definition.is_empty());
            let rounds = definition(&summary.variant).rounds;
            assert_eq!(got.has_rounds, rounds.is_some());
            ids.push(summary.variant);
        }
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(ids, variants());
}

#[tokio::test]
async fn start_positions_are_as_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let cases = [
        ("en-dodoi", 0, 0, 0, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S"),
        ("en-dodoi", 7, 4, 2, "4,4,4,4,4,4,4/4,4,4,4,4,4,4 0-0 N"),
        ("kalah", 0, 0, 2, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 N"),
        ("kalah", 2, 9, 1, "9,9/9,9 0-0 S"),
        ("oware", 0, 0, 0, "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S"),
        ("bosh", 5, 0, 2, "4,4,4,4,4/4,4,4,4,4 0-0 N round=1 first=N"),
        (
            "sadeqa-ii",
            0,
            0,
            1,
            "3,3,3,3,3,3/3,3,3,3,3,3 0-0 S opened=0/0",
        ),
        (
            "adji-boto",
            0,
            0,
            1,
            "10,10,10,10,10/10,10,10,10,10 0-0 S opened=00000/00000",
        ),
    ];
    for (variant, holes, seeds, first, text) in cases {
        let variant = variant.to_owned();
        let request = GetStartPositionRequest {
            variant,
            holes,
            first,
            seeds,
        };
        let answer = rules
            .get_start_position(request)
            .await
            .unwrap()
            .into_inner();
        assert_eq!(answer.position.unwrap().text, text);
    }
}

/// A position without its text.
fn only_fields(position: &Position) -> Position {
    Position {
        text: String::new(),
        ..position.clone()
    }
}

#[tokio::test]
async fn three_ways_to_ask_agree_over_random_games() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let mut rules = server.stranger().rules();
    let twice = |variant| [(variant, 1), (variant, 2)];
    for (variant, seed) in variants().into_iter().flat_map(twice) {
        let mut chance = Chance::new(seed);
        let request = GetStartPositionRequest {
            variant: variant.into(),
            ..Default::default()
        };
        let start = rules
            .get_start_position(request)
            .await
            .unwrap()
            .into_inner();
        let mut position = start.position.unwrap();
        let (begin, mut holes, mut outcomes) = (position.clone(), Vec::new(), Vec::new());
        while holes.len() < 60 {
            let from_text = Some(text(variant, &position.text));
            let request = EnumerateMovesRequest {
                position: from_text.clone(),
                omit_steps: false,
            };
            let listed = rules.enumerate_moves(request).await.unwrap().into_inner();
            let from_fields = Some(only_fields(&position));
            let request = EnumerateMovesRequest {
                position: from_fields,
                omit_steps: false,
            };
            let again = rules.enumerate_moves(request).await.unwrap().into_inner();
            assert_eq!(again, listed, "fields and text of {}", position.text);
            let request = CountMovesRequest {
                position: from_text.clone(),
                depth: 1,
            };
            let counted = rules.count_moves(request).await.unwrap().into_inner().nodes;
            assert_eq!(counted, listed.moves.len() as u64);
            assert_eq!(
                listed.moves.is_empty(),
                position.to_move() == Side::Unspecified
            );
            if listed.moves.is_empty() {
                break;
            }
            let request = CountMovesRequest {
                position: from_text.clone(),
                depth: 2,
            };
            let counted = rules.count_moves(request).await.unwrap().into_inner().nodes;
            let mut expected = 0;
            for outcome in &listed.moves {
                let request = ApplyMovesRequest {
                    position: from_text.clone(),
                    moves: vec![outcome.hole],
                    omit_steps: false,
                    ..ApplyMovesRequest::default()
                };
                let applied = rules.apply_moves(request).await.unwrap().into_inner();
                assert_eq!(applied.outcomes, std::slice::from_ref(outcome));
                let after = outcome.position.clone();
                let request = EnumerateMovesRequest {
                    position: after,
                    omit_steps: true,
                };
                let next = rules.enumerate_moves(request).await.unwrap().into_inner();
                expected += next.moves.len() as u64;
                assert_steps_animate(&position, outcome);
            }
            assert_eq!(counted, expected, "{}", position.text);
            let outcome = chance.of(&listed.moves).clone();
            holes.push(outcome.hole);
            position = outcome.position.clone().unwrap();
            outcomes.push(outcome);
        }
        let request = ApplyMovesRequest {
            position: Some(begin),
            moves: holes,
            omit_steps: false,
            ..ApplyMovesRequest::default()
        };
        let applied = rules.apply_moves(request).await.unwrap().into_inner();
        assert_eq!(
            applied.outcomes, outcomes,
            "one after another and all at once"
        );
    }
}

/// Asserts that playing the steps on the board before, seed by seed, gives the board after.
fn assert_steps_animate(before: &Position, outcome: &MoveOutcome) {
    let after = outcome.position.as_ref().unwrap();
    let cells = |position: &Position| {
        let stores = [position.south_store, position.north_store];
        [&position.south[..], &position.north, &stores].concat()
    };
    let store = |side: i32| 2 * before.south.len() + side as usize - 1;
    let mut board = cells(before);
    let (mut hand, mut captured, mut laps) = (0, 0, 0);
    for step in &outcome.steps {
        match step.step.as_ref().unwrap() {
            step::Step::Lift(lift) => {
                assert_eq!(hand, 0);
                board[lift.hole as usize] -= lift.seeds;
                hand += lift.seeds;
                laps += 1;
            }
            step::Step::Drop(drop) => {
                drop.holes
                    .iter()
                    .for_each(|hole| board[*hole as usize] += 1);
                hand -= drop.holes.len() as u32;
            }
            step::Step::Capture(capture) => {
                board[capture.hole as usize] -= capture.seeds;
                captured += capture.seeds;
                if capture.to() != Side::Unspecified {
                    board[store(capture.to)] += capture.seeds;
                }
            }
            step::Step::Swap(swap) => {
                assert_eq!(swap.side(), outcome.mover());
                let holes = before.south.len();
                (0..holes).for_each(|hole| board.swap(hole, holes + hole));
                board.swap(2 * holes, 2 * holes + 1);
            }
            step::Step::Pass(pass) => assert_eq!(pass.side(), outcome.passed()),
            step::Step::Sweep(sweep) => {
                let swept = sweep.holes.iter();
                let swept: u32 = swept
                    .map(|hole| std::mem::take(&mut board[*hole as usize]))
                    .sum();
                assert_eq!(swept, sweep.seeds);
                board[store(sweep.side)] += swept;
            }
            step::Step::NewRound(round) => {
                let stores = [round.south_store, round.north_store];
                let set_up = [&round.south[..], &round.north, &stores].concat();
                assert_eq!(set_up.iter().sum::<u32>(), board.iter().sum::<u32>());
                assert_eq!(round.to_move(), after.to_move());
                board = set_up;
            }
        }
    }
    assert_eq!(hand, 0);
    assert_eq!(board, cells(after));
    assert_eq!((captured, laps), (outcome.captured, outcome.laps));
}
