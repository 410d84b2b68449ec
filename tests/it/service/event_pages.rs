//! Events of a game in pages, at once or as soon as there are some.

use std::time::Duration as StdDuration;

use mancala::grpc::{
    MAX_ANSWER, Reason,
    proto::{
        CreateGameRequest, GameEvent, ListGameEventsRequest, OfferDrawRequest,
        RequestTakebackRequest, ResignGameRequest, game_event::Change,
        watch_game_response::Message,
    },
};
use prost::Message as _;
use prost_types::Duration;
use tokio::time::Instant;

use super::errors::set;
use crate::support::{
    chance::Chance,
    client::{Caller, accept, decline, draw, events, fresh_id, play, resign, solo, takeback, text},
    server::Server,
    status::{refused, refused_field, refused_missing},
    variants, within,
};

fn seconds(seconds: i64) -> Option<Duration> {
    Some(Duration { seconds, nanos: 0 })
}

/// Every event that a watch gives, until the game's end or so many.
async fn watched(caller: &Caller, id: &str, most: usize) -> Vec<GameEvent> {
    let mut watch = caller.watch(id, Some(0)).await.unwrap();
    let mut all = Vec::new();
    while all.len() < most {
        match within(watch.message()).await.unwrap() {
            Some(message) => match message.message.unwrap() {
                Message::Event(event) => all.push(event),
                other => panic!("{other:?}"),
            },
            None => break,
        }
    }
    all
}

/// Every event in pages of a size, and how many pages it took.
async fn paged(caller: &Caller, id: &str, page_size: u32) -> (Vec<GameEvent>, usize) {
    let (mut all, mut pages): (Vec<GameEvent>, usize) = (Vec::new(), 0);
    loop {
        let request = ListGameEventsRequest {
            after_seq: all.last().map(|event| event.seq),
            page_size,
            ..events(id)
        };
        let page = caller.events(request).await.unwrap();
        assert!(page.encoded_len() <= MAX_ANSWER);
        pages += 1;
        all.extend(page.events);
        if page.complete {
            return (all, pages);
        }
    }
}

async fn give_up(caller: &Caller, id: &str) {
    let request = ResignGameRequest {
        side: 1,
        ..resign(id)
    };
    caller.resign(request).await.unwrap();
}

/// Plays a game of every kind of event there is, by chance, to its end.
async fn play_all_kinds(alice: &Caller, variant: &str) -> String {
    let id = alice.create(solo(variant)).await.unwrap().game_id;
    let mut chance = Chance::new(7);
    for side in [1, 2] {
        alice.play_any(&id, 6, &mut chance).await;
        let request = OfferDrawRequest { side, ..draw(&id) };
        let offered = alice.offer_draw(request).await.unwrap();
        alice.answer(decline(&offered)).await.unwrap();
        let request = RequestTakebackRequest {
            side,
            ..takeback(&id)
        };
        if let Ok(asked) = alice.request_takeback(request).await {
            alice.answer(accept(&asked)).await.unwrap();
        }
    }
    alice.play_any(&id, 30, &mut chance).await;
    if alice.get(&id).await.unwrap().result.is_none() {
        give_up(alice, &id).await;
    }
    id
}

#[tokio::test]
async fn pages_give_what_a_watch_gives() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let mut ids = Vec::new();
    for variant in variants() {
        ids.push(play_all_kinds(&alice, variant).await);
    }
    server.stop().await;
    let server = Server::start(folder.path()).await;
    let stranger = server.stranger();
    for id in &ids {
        let all = watched(&stranger, id, usize::MAX).await;
        assert_eq!(all.len() as u64, stranger.get(id).await.unwrap().seq);
        for page_size in [1, 3, 7, 0, 200] {
            let (paged, pages) = paged(&stranger, id, page_size).await;
            let bytes = |events: &[GameEvent]| -> Vec<Vec<u8>> {
                events.iter().map(GameEvent::encode_to_vec).collect()
            };
            assert_eq!(bytes(&paged), bytes(&all), "byte for byte");
            let size = if page_size == 0 {
                50
            } else {
                page_size as usize
            };
            assert_eq!(pages, all.len().div_ceil(size), "pages are full");
        }
        let request = ListGameEventsRequest {
            omit_steps: true,
            page_size: 200,
            ..events(id)
        };
        let brief = stranger.events(request).await.unwrap().events;
        let without = all.into_iter().map(|mut event| {
            if let Some(Change::Moved(outcome)) = &mut event.change {
                outcome.steps.clear();
            }
            event
        });
        assert_eq!(brief, without.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn it_is_complete_only_when_all_of_a_game_that_is_over_was_given() {
    let set = set().await;
    let (alice, id) = (&set.alice, set.game.game_id.as_str());
    let page = |after_seq, page_size| ListGameEventsRequest {
        after_seq,
        page_size,
        ..events(id)
    };
    let ask = |request| async { alice.events(request).await.unwrap() };
    let whole = ask(page(None, 0)).await;
    assert_eq!((whole.events.len(), whole.complete), (3, false));
    let none = ask(page(Some(3), 0)).await;
    assert_eq!((none.events.len(), none.complete), (0, false));
    alice.resign(resign(id)).await.unwrap();
    for after in [None, Some(0), Some(1)] {
        assert!(ask(page(after, 0)).await.complete);
    }
    assert_eq!(ask(page(Some(0), 0)).await, ask(page(None, 0)).await);
    let first = ask(page(None, 3)).await;
    assert_eq!((first.events.len(), first.complete), (3, false));
    let last = ask(page(Some(3), 3)).await;
    assert_eq!((last.events.len(), last.complete), (1, true));
    let exact = ask(page(None, 4)).await;
    assert_eq!((exact.events.len(), exact.complete), (4, true));
    // Nothing is left, and nothing will come: it isn't waited for.
    let patient = ListGameEventsRequest {
        wait: seconds(30),
        ..page(Some(4), 0)
    };
    let before = Instant::now();
    let end = ask(patient).await;
    assert_eq!((end.events.len(), end.complete), (0, true));
    assert!(before.elapsed() < StdDuration::from_secs(20));
}

#[tokio::test]
async fn what_is_out_of_bounds_is_refused() {
    let set = set().await;
    let (alice, id) = (&set.alice, set.game.game_id.as_str());
    for after in [4, u64::MAX] {
        for wait in [None, seconds(30)] {
            let request = ListGameEventsRequest {
                after_seq: Some(after),
                wait,
                ..events(id)
            };
            let details = refused(alice.events(request).await, Reason::SeqBeyondLog);
            assert_eq!(details.error_info().unwrap().metadata["newest_seq"], "3");
        }
    }
    for page_size in [201, u32::MAX] {
        let request = ListGameEventsRequest {
            page_size,
            ..events(id)
        };
        refused_field(
            alice.events(request).await,
            Reason::InvalidField,
            "page_size",
        );
    }
    for (seconds, nanos) in [
        (-1, 0),
        (0, -1),
        (30, 1),
        (31, 0),
        (i64::MAX, 0),
        (i64::MIN, i32::MIN),
        (29, i32::MAX),
    ] {
        let wait = Some(Duration { seconds, nanos });
        let request = ListGameEventsRequest { wait, ..events(id) };
        refused_field(alice.events(request).await, Reason::InvalidField, "wait");
    }
    let unknown = fresh_id();
    let answer = alice.events(events(&unknown)).await;
    refused_missing(answer, Reason::GameNotFound, "mancala.v1.Game", &unknown);
    for bad in ["", "x"] {
        let answer = alice.events(events(bad)).await;
        refused_field(answer, Reason::InvalidField, "game_id");
    }
}

#[tokio::test]
async fn a_wait_ends_as_soon_as_an_event_comes() {
    let set = set().await;
    let (bob, id) = (&set.bob, set.game.game_id.as_str());
    let mut waiting = Vec::new();
    for page_size in [0, 1] {
        let request = ListGameEventsRequest {
            after_seq: Some(3),
            wait: seconds(30),
            page_size,
            ..events(id)
        };
        let stranger = set.server.stranger();
        waiting.push(tokio::spawn(async move { stranger.events(request).await }));
    }
    // Whether they wait already or come too late, they get it.
    let before = Instant::now();
    bob.play(id, 1).await.unwrap();
    for waited in waiting {
        let page = within(waited).await.unwrap().unwrap();
        let seqs: Vec<_> = page.events.iter().map(|event| event.seq).collect();
        assert_eq!((seqs, page.complete), (vec![4], false));
    }
    assert!(before.elapsed() < StdDuration::from_secs(20));

    let request = ListGameEventsRequest {
        after_seq: Some(4),
        wait: seconds(30),
        ..events(id)
    };
    let stranger = set.server.stranger();
    let waited = tokio::spawn(async move { stranger.events(request).await });
    bob.resign(resign(id)).await.unwrap();
    let page = within(waited).await.unwrap().unwrap();
    assert_eq!(
        (page.events.len(), page.complete),
        (1, true),
        "the last one"
    );
}

#[tokio::test]
async fn a_wait_for_nothing_ends_at_its_deadline() {
    let set = set().await;
    let id = set.game.game_id.as_str();
    for wait in [
        seconds(0),
        Some(Duration {
            seconds: 0,
            nanos: 30_000_000,
        }),
    ] {
        let before = Instant::now();
        let request = ListGameEventsRequest {
            after_seq: Some(3),
            wait,
            ..events(id)
        };
        let page = set.alice.events(request).await.unwrap();
        assert_eq!((page.events.len(), page.complete), (0, false));
        let least = StdDuration::try_from(wait.unwrap()).unwrap();
        assert!(before.elapsed() >= least);
    }
    // What is there is given at once.
    let request = ListGameEventsRequest {
        wait: seconds(30),
        ..events(id)
    };
    let before = Instant::now();
    assert_eq!(set.alice.events(request).await.unwrap().events.len(), 3);
    assert!(before.elapsed() < StdDuration::from_secs(20));
}

/// Sowings of six thousand laps, again and again: a page has as many as an answer can have.
#[tokio::test]
async fn long_sowings_make_short_pages() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    let start = "0,4,0,1,9,2,1,2,3,2/0,5,6,1,0,1,2,1,7,1 20-12 S";
    let request = CreateGameRequest {
        start_position: Some(text("en-dodoi", start)),
        ..solo("en-dodoi")
    };
    let id = alice.create(request).await.unwrap().game_id;
    for _ in 0..12 {
        let made = alice.submit(play(&id, 9)).await.unwrap();
        assert_eq!(made.outcome.unwrap().laps, 5_979);
        let request = RequestTakebackRequest {
            side: 1,
            ..takeback(&id)
        };
        let asked = alice.request_takeback(request).await.unwrap();
        alice.answer(accept(&asked)).await.unwrap();
    }
    give_up(&alice, &id).await;
    let all = watched(&alice, &id, usize::MAX).await;
    assert_eq!(all.len(), 1 + 12 * 3 + 1);
    let bytes: usize = all.iter().map(GameEvent::encoded_len).sum();
    assert!(bytes > MAX_ANSWER, "it is more than an answer: {bytes}");
    let (paged, pages) = paged(&alice, &id, 200).await;
    assert_eq!(paged, all);
    assert!(
        pages > 1 && pages <= 2 * bytes.div_ceil(MAX_ANSWER),
        "{pages}"
    );
}

#[tokio::test]
async fn a_draining_server_gives_what_there_is_and_lets_nobody_wait() {
    let set = set().await;
    let request = ListGameEventsRequest {
        after_seq: Some(3),
        wait: seconds(30),
        ..events(&set.game.game_id)
    };
    let alice = set.alice.clone();
    let waiting = tokio::spawn({
        let alice = alice.clone();
        async move { alice.events(request).await }
    });
    // By then it waits; if not, it is refused as it comes.
    alice.get(&set.game.game_id).await.unwrap();
    set.server.session.drain();
    let details = refused(within(waiting).await.unwrap(), Reason::Draining);
    assert!(details.retry_info().is_some());
    let after = |seq| ListGameEventsRequest {
        after_seq: Some(seq),
        ..events(&set.game.game_id)
    };
    for seq in 0..3 {
        let late = alice.events(after(seq)).await.unwrap();
        let seqs: Vec<_> = late.events.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, ((seq + 1)..=3).collect::<Vec<_>>());
    }
    refused(alice.events(after(3)).await, Reason::Draining);
}
