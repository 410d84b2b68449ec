//! Ways to spoil a good history, each with the promise that is broken by it.

use mancala::{
    game::{Event, Time},
    grpc::proto::{
        self, watch_game_response::Message as Watched, watch_player_response::Message as Noticed,
    },
    store::Entry,
};
use prost_types::Timestamp;

use super::{
    case::{Case, answer, game, record, request},
    history::{Answer, Deed, End, Line},
    methods::{Method, decode},
};

/// The promise, what is done, and how.
type Tamper = (&'static str, &'static str, fn(&mut Case));

/// All ways.
pub(crate) const ALL: &[Tamper] = &[
    ("sound", "a server that ended", |case| {
        let deed = Deed {
            what: "the server ended".into(),
            wrong: true,
            at: 0,
        };
        case.lines.push(Line::Deed(deed));
    }),
    ("sound", "an internal error", |case| {
        case.call(Method::GetGame, 0).answer = Answer::Refused("INTERNAL".into());
    }),
    ("bounded", "a page of five hundred", |case| {
        request(
            case.call(Method::ListGames, 0),
            |asked: &mut proto::ListGamesRequest| {
                asked.page_size = 500;
            },
        );
    }),
    (
        "acknowledged once",
        "an acknowledged event is lost",
        |case| {
            let index = case.index_of(|event| matches!(event, Event::Resigned { .. }));
            case.entries.remove(index);
        },
    ),
    (
        "acknowledged once",
        "an acknowledged event is there twice",
        |case| {
            let index = case.index_of(|event| matches!(event, Event::Resigned { .. }));
            let mut copy = case.entries[index].clone();
            copy.offset += 100_000;
            record(&mut copy).seq += 1;
            case.entries.push(copy);
        },
    ),
    (
        "acknowledged once",
        "an answer names another event",
        |case| {
            game(case.call(Method::ResignGame, 0), |game| game.seq -= 1);
        },
    ),
    ("acknowledged once", "another hole was played", |case| {
        let index = case.index_of(|event| matches!(event, Event::Moved(_)));
        if let Event::Moved(moved) = &mut record(&mut case.entries[index]).event {
            moved.hole += 1;
        }
    }),
    ("refused never", "what was refused is in the log", |case| {
        case.call(Method::ResignGame, 0).answer = Answer::Refused("GAME_OVER".into());
    }),
    ("repeated as first", "a repeated call is refused", |case| {
        // The first was answered.
        case.repeated().answer = Answer::Refused("NOT_YOUR_TURN".into());
    }),
    (
        "repeated as first",
        "an id is refused that was not used",
        |case| {
            case.refused("STALE_TURN").answer = Answer::Refused("REQUEST_ID_REUSED".into());
        },
    ),
    (
        "in order",
        "an early move was only asked for after the others",
        |case| {
            let call = case.call(Method::SubmitMove, 0);
            call.invoked += 60_000_000;
            call.returned += 60_000_000;
        },
    ),
    (
        "at the expected turn",
        "a move expected another turn",
        |case| {
            request(
                case.call(Method::SubmitMove, 1),
                |asked: &mut proto::SubmitMoveRequest| {
                    asked.expected_turn = Some(77);
                },
            );
        },
    ),
    ("only what was asked", "nobody asked for a move", |case| {
        let first = case.call(Method::SubmitMove, 0).request.clone();
        case.lines
            .retain(|line| !matches!(line, Line::Call(call) if call.request == first));
    }),
    (
        "answered the same",
        "a repeated call is answered otherwise",
        |case| {
            game(case.repeated(), |game| game.ply += 1);
        },
    ),
    (
        "answered the same",
        "another token for the same registration",
        |case| {
            answer(
                case.call(Method::RegisterPlayer, 1),
                |answer: &mut proto::RegisterPlayerResponse| {
                    answer.token.push('x');
                },
            );
        },
    ),
    ("told as logged", "an answer with another turn", |case| {
        game(case.call(Method::SubmitMove, 2), |game| game.turn += 1);
    }),
    ("told as logged", "an answer with a move too many", |case| {
        game(case.call(Method::ResignGame, 0), |game| {
            game.moves.push(proto::Move::default())
        });
    }),
    ("told as logged", "a move that captured more", |case| {
        answer(
            case.call(Method::SubmitMove, 2),
            |answer: &mut proto::SubmitMoveResponse| {
                if let Some(outcome) = &mut answer.outcome {
                    outcome.captured += 1;
                }
            },
        );
    }),
    (
        "told as logged",
        "a watcher is told of another time",
        |case| {
            case.watched(3, |message| {
                if let Watched::Event(event) = message {
                    event.create_time = None;
                }
            });
        },
    ),
    (
        "told as logged",
        "an answer with a clock that was charged less",
        |case| {
            game(case.call(Method::SubmitMove, 4), |game| {
                let clocks = game.clocks.get_or_insert_default();
                clocks.south.get_or_insert_default().seconds += 1;
            });
        },
    ),
    ("whole log", "two events have changed places", |case| {
        let index = case.index_of(|event| matches!(event, Event::Moved(_)));
        let next = (index + 1..case.entries.len())
            .find(|index| matches!(case.entries[*index].entry, Entry::Game(_)))
            .expect("more follows");
        case.entries.swap(index, next);
    }),
    ("whole log", "a turn that goes back", |case| {
        let index = case.index_of(|event| matches!(event, Event::Offered));
        record(&mut case.entries[index]).state.turn -= 1;
    }),
    ("whole log", "time that goes back", |case| {
        let index = case.index_of(|event| matches!(event, Event::Offered));
        record(&mut case.entries[index]).time = Time(1);
    }),
    ("watches whole", "an event is missing", |case| {
        let index = case.told(Method::WatchGame, 4);
        case.lines.remove(index);
    }),
    ("watches whole", "an event comes twice", |case| {
        let index = case.told(Method::WatchGame, 4);
        case.lines.insert(index, case.lines[index].clone());
    }),
    ("watches whole", "a watch ends before the game", |case| {
        let games = case.streams(Method::WatchGame);
        let last = case.lines.iter().rposition(|line| match line {
            Line::Told(told) if games.contains(&told.stream) => matches!(
                decode::<proto::WatchGameResponse>(&told.message).message,
                Some(Watched::Event(_))
            ),
            _ => false,
        });
        case.lines.remove(last.expect("a watch has given events"));
    }),
    (
        "watches whole",
        "a known event is called beyond the log",
        |case| {
            let stream = case.lines.iter().position(|line| match line {
                Line::Opened(opened) => {
                    opened.method == Method::WatchGame
                        && decode::<proto::WatchGameRequest>(&opened.request)
                            .after_seq
                            .is_some()
                }
                _ => false,
            });
            let Some(Line::Opened(opened)) = stream.map(|index| case.lines[index].clone()) else {
                return;
            };
            case.lines
                .retain(|line| !matches!(line, Line::Told(told) if told.stream == opened.stream));
            for line in &mut case.lines {
                if let Line::Closed(closed) = line
                    && closed.stream == opened.stream
                {
                    closed.end = End::Failed("SEQ_BEYOND_LOG".into());
                }
            }
        },
    ),
    (
        "watches awake",
        "a heartbeat long after an event that was not given",
        |case| {
            let index = case.told(Method::WatchGame, 3);
            case.watched(3, |message| {
                if let Watched::Event(event) = message {
                    *message = Watched::Heartbeat(proto::Heartbeat {
                        seq: event.seq - 1,
                        server_time: Some(LATE),
                    });
                }
            });
            case.end_stream_at(index);
        },
    ),
    ("inboxes whole", "a change is missing", |case| {
        let index = case.told(Method::WatchPlayer, 4);
        case.lines.remove(index);
    }),
    ("inboxes whole", "a change comes twice", |case| {
        let index = case.told(Method::WatchPlayer, 4);
        case.lines.insert(index, case.lines[index].clone());
    }),
    (
        "inboxes whole",
        "an inbox begins anew for no reason",
        |case| {
            case.noticed(0, |message| {
                if let Noticed::Snapshot(snapshot) = message {
                    snapshot.reset = true;
                }
            });
        },
    ),
    (
        "inboxes heed",
        "a game that waits for the player is not shown",
        |case| {
            case.each_noticed(|message| {
                if let Noticed::Snapshot(snapshot) = message {
                    snapshot.games.clear();
                }
            });
        },
    ),
    (
        "inboxes awake",
        "a heartbeat long after a change that was not told",
        |case| {
            let index = case.told(Method::WatchPlayer, 3);
            let before = case.told(Method::WatchPlayer, 2);
            let mut cursor = String::new();
            case.noticed_at(before, |message| {
                if let Noticed::Change(change) = message {
                    cursor = change.cursor.clone();
                }
            });
            case.noticed_at(index, |message| {
                *message = Noticed::Heartbeat(proto::PlayerHeartbeat {
                    cursor: cursor.clone(),
                    server_time: Some(LATE),
                });
            });
        },
    ),
    ("seeds kept", "a seed is lost in an answer", |case| {
        game(case.call(Method::SubmitMove, 3), |game| {
            game.position.get_or_insert_default().south_store += 1;
        });
    }),
    (
        "seeds kept",
        "a text says otherwise than the fields",
        |case| {
            game(case.call(Method::SubmitMove, 3), |game| {
                let position = game.position.get_or_insert_default();
                position.text = position.text.replacen("0-", "1-", 1);
                position.text.insert(0, '9');
            });
        },
    ),
    (
        "clocks fair",
        "a clock is charged more than has passed",
        |case| {
            case.spoil_clock(|left| left - 5_000);
        },
    ),
    ("clocks fair", "a clock gains", |case| {
        case.spoil_clock(|left| left + 5_000);
    }),
    ("clocks fair", "the clock of nobody runs", |case| {
        let index = case.last_of(|event| matches!(event, Event::Offered));
        record(&mut case.entries[index]).state.clocks.running = None;
    }),
    ("flags due", "a flag falls too early", |case| {
        let index = case.index_of(|event| matches!(event, Event::TimedOut { .. }));
        record(&mut case.entries[index]).time.0 -= 500;
    }),
    ("flags due", "an outage that was none", |case| {
        for logged in &mut case.entries {
            if let Entry::System(sign) = &mut logged.entry {
                sign.outage_from = Some(Time(sign.time.0 - 3_000));
            }
        }
        let sign = case
            .entries
            .iter()
            .find(|logged| matches!(logged.entry, Entry::System(_)));
        let mut second = sign.cloned().expect("a server has lived");
        if let Entry::System(sign) = &mut second.entry {
            sign.seq += 1;
        }
        case.entries.push(second);
    }),
    (
        "times true",
        "an event from before it was asked for",
        |case| {
            let index = case.index_of(|event| matches!(event, Event::Resigned { .. }));
            record(&mut case.entries[index]).time.0 -= 400_000;
        },
    ),
    (
        "clocks shown",
        "a clock that is shown with a second more",
        |case| {
            game(case.call(Method::GetGame, 4), |game| {
                let clocks = game.clocks.get_or_insert_default();
                for left in [&mut clocks.south, &mut clocks.north] {
                    left.get_or_insert_default().seconds += 1;
                }
            });
        },
    ),
    (
        "reads are new",
        "a game is shown as it was before",
        |case| {
            let old = case.call(Method::GetGame, 1).answer.clone();
            case.call(Method::GetGame, 5).answer = old;
        },
    ),
    ("reads are new", "a game is not found", |case| {
        case.call(Method::GetGame, 1).answer = Answer::Refused("GAME_NOT_FOUND".into());
    }),
    ("reads are new", "a page lacks its last event", |case| {
        answer(
            case.call(Method::ListGameEvents, 0),
            |page: &mut proto::ListGameEventsResponse| {
                page.events.pop();
            },
        );
    }),
    ("reads are new", "legal moves of an earlier turn", |case| {
        answer(
            case.call(Method::ListLegalMoves, 3),
            |legal: &mut proto::ListLegalMovesResponse| {
                legal.turn = 0;
            },
        );
    }),
    (
        "lists are new",
        "a game is not in its player's list",
        |case| {
            answer(
                case.call(Method::ListGames, 0),
                |page: &mut proto::ListGamesResponse| {
                    page.games.pop();
                },
            );
        },
    ),
];

/// Long after all that happened.
const LATE: Timestamp = Timestamp {
    seconds: 1 << 40,
    nanos: 0,
};
