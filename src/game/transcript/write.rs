//! A game as text.

use super::{moves, tags::Tag};
use crate::{
    game::{Game, GameResult, Imported, date},
    rules::{BySide, Side},
};

/// The result of a game that is not over.
pub(super) const NOT_OVER: &str = "*";

/// Most characters of a line of moves.
const WIDTH: usize = 80;

impl Game {
    /// The game as text, with the names of those who have its seats. An imported game keeps its own
    /// names and date.
    pub fn export(&self, names: &BySide<String>) -> String {
        let created = self.created();
        let start = &self.summary().start;
        let (names, date) = match created.imported.as_deref() {
            Some(Imported { names, date, .. }) => (names, date.clone()),
            None => (names, date::date(self.summary().create_time)),
        };
        let mut text = String::new();
        let mut tag = |tag: Tag, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            text += &format!("[{} \"{value}\"]\n", tag.name());
        };
        tag(Tag::Variant, &created.variant);
        tag(Tag::Rules, created.rule_set.digest());
        tag(Tag::Holes, &created.holes.to_string());
        tag(Tag::Seeds, &created.seeds.to_string());
        tag(Tag::South, &names.south);
        tag(Tag::North, &names.north);
        tag(Tag::Date, &date);
        if created.target_wins > 1 {
            tag(Tag::TargetWins, &created.target_wins.to_string());
        }
        if created.custom_start {
            tag(Tag::Start, &self.rules().text(start).to_string());
        } else if start.to_move() == Some(Side::North) {
            tag(Tag::First, "North");
        }
        match &self.state().result {
            None => tag(Tag::Result, NOT_OVER),
            Some(result) => {
                let GameResult {
                    winner: _,
                    reason,
                    score,
                } = result;
                tag(Tag::Result, result.outcome().name());
                tag(Tag::Reason, reason.name());
                tag(Tag::Score, &format!("{}-{}", score.south, score.north));
            }
        }
        text.push('\n');
        self.write_moves(&mut text);
        text
    }

    fn write_moves(&self, text: &mut String) {
        let mut line = String::new();
        let mut end_line = |line: &mut String| {
            if !line.is_empty() {
                *text += line;
                text.push('\n');
                line.clear();
            }
        };
        let mut last = None;
        for (side, hole, round) in self.moves() {
            if self.has_rounds() && last.replace(round) != Some(round) {
                end_line(&mut line);
                line = format!("{round}:");
            }
            let word = moves::word(side, hole, self.created().holes);
            // All of it is ASCII.
            if line.len() + 1 + word.len() > WIDTH {
                end_line(&mut line);
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += &word;
        }
        end_line(&mut line);
    }
}
