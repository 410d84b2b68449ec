//! What happened on the board in a move of a game, computed again for display.

use super::{Moved, Standing};
use crate::rules::{Position, Reason, Rules, Step};

impl Moved {
    /// The steps of this move from the position before it to the standing after it: those of the
    /// rules, and what only a game does (ending a round by repetition or limit, a series' next round).
    pub fn steps(&self, rules: &Rules, before: &Position, after: &Standing) -> Vec<Step> {
        let mut steps = Vec::new();
        let played = rules.play_recorded(before, self.hole.into(), &mut steps);
        let Some(round_end) = self.round_end else {
            return steps;
        };
        if let Ok(played) = played
            && played.round_end.is_none()
        {
            // Why it was counted changes nothing on the board.
            rules.end_by_count(&played.position, Reason::Repetition, &mut steps);
        }
        steps.retain(|step| !matches!(step, Step::NewRound { .. }));
        if after.position != round_end {
            steps.push(Step::NewRound {
                position: after.position,
            });
        }
        steps
    }
}
