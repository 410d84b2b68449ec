//! Stores: one suite of what every store promises, and what only SQLite's file can go through.

mod conformance;
mod entries;
mod files;
mod forgetting;
mod listing;
mod makers;
mod older;

use makers::SqliteMaker;

/// Runs the suite over a store: a test for each promise.
macro_rules! conforms {
    ($($promise:path as $name:ident,)*) => {
        mod sqlite {
            use super::*;

            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    $promise(SqliteMaker::new()).await;
                }
            )*
        }
    };
}

conforms! {
    conformance::appends_and_reads as appends_and_reads,
    conformance::refuses_conflicts as refuses_conflicts,
    conformance::games_name_players_first as games_name_players_first,
    conformance::reads_from_and_with_limits as reads_from_and_with_limits,
    conformance::reads_all_in_order as reads_all_in_order,
    conformance::tails_while_appending as tails_while_appending,
    conformance::lets_one_appender_win as lets_one_appender_win,
    conformance::reopens_with_all as reopens_with_all,
    conformance::survives_crashes as survives_crashes,
    conformance::gives_the_newest_of_a_subject as gives_the_newest_of_a_subject,
    conformance::keeps_signs_of_life as keeps_signs_of_life,
    conformance::keeps_its_identity as keeps_its_identity,
    forgetting::forgets_what_was_before as forgets_what_was_before,
    listing::lists_by_every_filter as lists_by_every_filter,
    listing::lists_in_pages as lists_in_pages,
    listing::pages_are_stable as pages_are_stable,
    listing::lists_what_is_not_over as lists_what_is_not_over,
    listing::tells_a_player_of_all_games as tells_a_player_of_all_games,
}
