//! Texts that are no game that is over, or not the game that they say: refused with the place.

use mancala::grpc::{Reason, proto::ListGamesRequest};

use crate::support::{
    catalog,
    client::{Caller, import, solo},
    server::Server,
    status::{refused, refused_field, refused_text},
};

use super::errors::ILLEGAL;

/// The first round is South's by 43 to 5.
const SERIES: &str = r#"[Variant "en-dodoi"]
[Rules "DIGEST"]
[Holes "6"]
[Seeds "4"]
[South "Ann"]
[North "Bob"]
[Date "2026-11-30"]
[TargetWins "2"]
[Result "South"]
[Reason "resignation"]
[Score "1-0"]

1: e D b F c E b
2: D c
"#;

const SINGLE: &str = r#"[Variant "en-dodoi"]
[Result "South"]
[Reason "no-moves"]
[Score "43-5"]

e D b F c E b
"#;

const STARTED: &str = r#"[Variant "kalah"]
[Holes "6"]
[Seeds "4"]
[Start "4,4,4,4,4,4/4,4,4,4,4,4 0-0 N"]
[Result "North"]
[Reason "resignation"]

A
"#;

/// A change of a text, and where it makes it wrong.
type Case = (&'static str, &'static str, (usize, usize));

fn digest() -> &'static str {
    catalog().get("en-dodoi").unwrap().rule_set().digest()
}

/// Asserts that a text is good, and that each change of it is refused at its place.
async fn assert_refused(alice: &Caller, good: &str, cases: &[Case]) {
    let good = good.replace("DIGEST", digest());
    alice.import(import(&good)).await.unwrap();
    for (from, to, place) in cases {
        let from = from.replace("DIGEST", digest());
        assert_eq!(good.matches(&from).count(), 1, "{from}");
        let bad = good.replacen(&from, to, 1);
        let rule = refused_text(alice.import(import(&bad)).await, "text", *place);
        assert_eq!(rule, None, "{to}");
    }
}

async fn start() -> (tempfile::TempDir, Server, Caller) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path()).await;
    let alice = server.player("Alice").await;
    (folder, server, alice)
}

#[tokio::test]
async fn bad_spelling_is_refused_at_its_place() {
    let (_folder, _server, alice) = start().await;
    let cases = [
        ("[Variant", "Variant", (1, 1)),
        ("[Variant", "{Variant", (1, 1)),
        ("[Holes", "[holes", (3, 2)),
        ("[Holes", "[Löcher", (3, 2)),
        ("[Holes", "[", (3, 2)),
        ("[Holes \"6\"]", "[Holes \"6\"]\n[Holes \"6\"]", (4, 2)),
        ("\"6\"]", "6]", (3, 8)),
        ("\"6\"]", "\"6\"", (4, 1)),
        ("\"6\"]", "\"6\")", (3, 11)),
        ("\"6\"]", "\"6\" x]", (3, 12)),
        ("Ann\"", "Ann", (5, 8)),
        ("Ann", "A\nn", (5, 8)),
        ("Ann", "A\tn", (5, 10)),
        ("Ann", "A\u{7f}n", (5, 10)),
        ("Ann", "é\u{0}n", (5, 10)),
        ("Ann", r"é\n", (5, 10)),
        ("Ann\"", "Ann\\", (5, 12)),
        ("[Variant \"en-dodoi\"]\n", "", (12, 1)),
        ("[Result \"South\"]\n", "", (12, 1)),
        ("[Reason \"resignation\"]\n", "", (12, 1)),
        ("D b", "Db", (13, 6)),
        ("D b", "D. b", (13, 6)),
        ("D b", "k b", (13, 6)),
        ("D b", "K b", (13, 6)),
        ("D b", "é b", (13, 6)),
        ("D b", "Swap b", (13, 6)),
        ("D b", "3 b", (13, 6)),
        ("D b", "D\tb", (13, 6)),
        ("1: e", "1:e", (13, 1)),
        ("1: e", "01: e", (13, 1)),
        ("1: e", ": e", (13, 1)),
        ("1: e", "4294967297: e", (13, 1)),
        ("1: e", "1: 1: e", (13, 1)),
        ("2: D c\n", "2: D c\n3:\n", (15, 1)),
        ("2: D c\n", "2: D c\n[First \"North\"]\n", (15, 1)),
    ];
    assert_refused(&alice, SERIES, &cases).await;
    refused_text(alice.import(import("")).await, "text", (1, 1));
    refused_text(alice.import(import("\u{feff}")).await, "text", (1, 1));
    refused_text(alice.import(import(" \r\n ")).await, "text", (2, 2));
}

#[tokio::test]
async fn bad_values_are_refused_at_their_quote() {
    let (_folder, _server, alice) = start().await;
    let cases = [
        ("\"en-dodoi\"", "\"chess\"", (1, 10)),
        ("\"en-dodoi\"", "\"\"", (1, 10)),
        ("\"DIGEST\"", "\"12\"", (2, 8)),
        ("\"DIGEST\"", "\"\"", (2, 8)),
        ("\"6\"", "\"06\"", (3, 8)),
        ("\"6\"", "\"six\"", (3, 8)),
        ("\"6\"", "\"\"", (3, 8)),
        ("\"6\"", "\"-6\"", (3, 8)),
        ("\"6\"", "\"+6\"", (3, 8)),
        ("\"6\"", "\"5\"", (3, 8)),
        ("\"6\"", "\"11\"", (3, 8)),
        ("\"6\"", "\"262\"", (3, 8)),
        ("\"6\"", "\"4294967302\"", (3, 8)),
        ("\"4\"", "\"5\"", (4, 8)),
        ("2026-11-30", "2026-02-29", (7, 7)),
        ("2026-11-30", "2026-11-31", (7, 7)),
        ("2026-11-30", "2026-13-01", (7, 7)),
        ("2026-11-30", "2026-00-01", (7, 7)),
        ("2026-11-30", "2026-01-00", (7, 7)),
        ("2026-11-30", "2026-1-1", (7, 7)),
        ("2026-11-30", "2026-11-30-", (7, 7)),
        ("2026-11-30", "+026-11-30", (7, 7)),
        ("2026-11-30", "today", (7, 7)),
        ("Wins \"2\"", "Wins \"1\"", (8, 13)),
        ("Wins \"2\"", "Wins \"0\"", (8, 13)),
        ("Wins \"2\"", "Wins \"101\"", (8, 13)),
        ("Wins \"2\"", "Wins \"two\"", (8, 13)),
        ("[Result \"South\"]", "[Result \"*\"]", (9, 9)),
        ("[Result \"South\"]", "[Result \"south\"]", (9, 9)),
        ("\"resignation\"", "\"boredom\"", (10, 9)),
        ("\"1-0\"", "\"1\"", (11, 8)),
        ("\"1-0\"", "\"1-\"", (11, 8)),
        ("\"1-0\"", "\"01-0\"", (11, 8)),
        ("\"1-0\"", "\"1-0-0\"", (11, 8)),
        ("\"1-0\"]", "\"1-0\"]\n[First \"West\"]", (12, 8)),
    ];
    assert_refused(&alice, SERIES, &cases).await;
    let good = SERIES.replace("DIGEST", digest());
    let other = good.replace(digest(), &digest().replace(|_| true, "0"));
    refused_text(alice.import(import(&other)).await, "text", (2, 8));
    let upper = good.replace(digest(), &digest().to_uppercase());
    refused_text(alice.import(import(&upper)).await, "text", (2, 8));
    let named = |length| good.replace("Bob", &"é".repeat(length));
    refused_text(alice.import(import(&named(65))).await, "text", (6, 8));
    alice.import(import(&named(64))).await.unwrap();
}

#[tokio::test]
async fn what_the_play_does_not_bear_out_is_refused_at_its_place() {
    let (_folder, _server, alice) = start().await;
    let cases = [
        ("\"1-0\"", "\"2-0\"", (11, 8)),
        ("\"1-0\"", "\"43-5\"", (11, 8)),
        ("Result \"South\"", "Result \"Draw\"", (9, 9)),
        ("Result \"South\"", "Result \"None\"", (9, 9)),
        ("resignation", "agreement", (9, 9)),
        ("resignation", "aborted", (10, 9)),
        ("resignation", "series", (10, 9)),
        ("resignation", "no-moves", (10, 9)),
        ("[TargetWins \"2\"]\n", "", (12, 1)),
        ("D b", "d b", (13, 6)),
        ("1: e", "e", (13, 1)),
        ("1: e", "2: e", (13, 1)),
        ("1: e D", "1: e 1: D", (13, 6)),
        ("1: e D", "1: e 2: D", (13, 6)),
        ("2: D", "D", (14, 1)),
        ("2: D", "3: D", (14, 1)),
        ("2: D", "2: d", (14, 4)),
        ("F c E b\n2: D c\n", "F c E b\n2: D c\nc", (15, 1)),
    ];
    assert_refused(&alice, SERIES, &cases).await;
    let cases = [
        ("South", "North", (2, 9)),
        ("South", "Draw", (2, 9)),
        ("South", "None", (2, 9)),
        ("no-moves", "resignation", (3, 9)),
        ("no-moves", "repetition", (3, 9)),
        ("no-moves", "aborted", (3, 9)),
        ("43-5", "5-43", (4, 8)),
        ("E b", "E b A", (6, 15)),
        ("E b", "E b a", (6, 15)),
        (" E b", " E", (3, 9)),
        ("e D", "1: e D", (6, 1)),
        ("[Result", "[First \"North\"]\n[Result", (7, 1)),
    ];
    assert_refused(&alice, SINGLE, &cases).await;
    // Only the good ones are there.
    let listed = alice.list(ListGamesRequest::default()).await.unwrap();
    assert_eq!(listed.games.len(), 2);
}

#[tokio::test]
async fn a_start_position_must_agree_with_what_is_beside_it() {
    let (_folder, _server, alice) = start().await;
    let cases = [
        ("[Holes \"6\"]", "[Holes \"5\"]", (2, 8)),
        ("[Seeds \"4\"]", "[Seeds \"3\"]", (3, 8)),
        ("[Start", "[First \"North\"]\n[Start", (4, 8)),
        ("[Start", "[TargetWins \"2\"]\n[Start", (4, 13)),
        ("0-0 N", "0-1 N", (4, 8)),
        ("0-0 N", "0-0  N", (4, 8)),
        ("0-0 N", "", (4, 8)),
        (
            "4,4,4,4,4,4/4,4,4,4,4,4 0-0 N",
            "0,0,0,0,0,0/0,0,0,0,0,0 24-24 -",
            (4, 8),
        ),
        ("\nA", "\na", (8, 1)),
    ];
    assert_refused(&alice, STARTED, &cases).await;
    let rounds = STARTED
        .replace("kalah", "bosh")
        .replace("[Holes \"6\"]\n[Seeds \"4\"]\n", "");
    let series = rounds.replace(
        "[Start \"4,4,4,4,4,4/4,4,4,4,4,4 0-0 N\"]",
        "[TargetWins \"2\"]",
    );
    refused_text(alice.import(import(&series)).await, "text", (2, 13));
}

#[tokio::test]
async fn illegal_moves_are_refused_with_the_rule_that_forbids_them() {
    let (_folder, _server, alice) = start().await;
    let text = |variant, start: &str, word: &str| {
        format!(
            "[Variant \"{variant}\"]\n[Start \"{start}\"]\n[Result \"South\"]\n\
             [Reason \"resignation\"]\n\n{word}\n"
        )
    };
    let case = |start: &str, word: &str| match start.contains(" N") {
        true => word.to_uppercase(),
        false => word.to_owned(),
    };
    for (variant, start, hole, kind) in ILLEGAL {
        let letter = char::from(b'a' + hole as u8).to_string();
        let bad = text(variant, start, &case(start, &letter));
        let rule = refused_text(alice.import(import(&bad)).await, "text", (6, 1));
        assert_eq!(rule.as_deref(), Some(kind));
        for nowhere in ["j", "swap"] {
            if catalog().get(variant).unwrap().rules(10).is_some() && nowhere == "j" {
                continue;
            }
            let bad = text(variant, start, &case(start, nowhere));
            let rule = refused_text(alice.import(import(&bad)).await, "text", (6, 1));
            assert_eq!(rule.as_deref(), Some("HOLE_OUT_OF_RANGE"));
        }
    }
}

#[tokio::test]
async fn other_fields_of_an_import_are_checked() {
    let (_folder, server, alice) = start().await;
    let good = import(SINGLE);
    refused(
        server.stranger().import(good.clone()).await,
        Reason::TokenMissing,
    );
    let mut other = good.clone();
    other.visibility = 9;
    refused_field(
        alice.import(other).await,
        Reason::InvalidField,
        "visibility",
    );
    let mut other = good.clone();
    other.request_id = "x".into();
    refused_field(
        alice.import(other).await,
        Reason::InvalidField,
        "request_id",
    );
    let long = import(&format!("{SINGLE}{}", " ".repeat(64 * 1024)));
    refused(alice.import(long).await, Reason::RequestTooLarge);
    let filled = SINGLE.len() + 16;
    let long = import(&format!("{SINGLE}{}", " ".repeat(64 * 1024 - filled)));
    alice.import(long).await.unwrap();
    for bad in ["", "x"] {
        refused_field(alice.export(bad).await, Reason::InvalidField, "game_id");
    }
    // A game under way is no game to import.
    let id = alice.create(solo("oware")).await.unwrap().game_id;
    let text = alice.export(&id).await.unwrap();
    let line = text
        .lines()
        .position(|line| line.starts_with("[Result"))
        .unwrap();
    refused_text(alice.import(import(&text)).await, "text", (line + 1, 9));
}
