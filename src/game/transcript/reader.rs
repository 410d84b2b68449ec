//! Reading a text character by character, knowing the place.

use super::{Place, Placed, TranscriptError};

/// A text from some place on.
pub(super) struct Reader<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Reader<'a> {
        Reader {
            rest: text,
            place: Place { line: 1, column: 1 },
        }
    }

    /// Where it is.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Takes the next character.
    pub(super) fn take(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        let Place { line, column } = self.place;
        self.place = match next {
            '\n' => Place {
                line: line + 1,
                column: 1,
            },
            _ => Place {
                line,
                column: column + 1,
            },
        };
        Some(next)
    }

    /// Takes the next characters as long as they are of a kind.
    pub(super) fn take_while(&mut self, kind: impl Fn(char) -> bool) -> Placed<&'a str> {
        let (text, place) = (self.rest, self.place);
        while self.peek().is_some_and(&kind) {
            self.take();
        }
        let value = &text[..text.len() - self.rest.len()];
        Placed { value, place }
    }

    /// Skips spaces and ends of lines, of which there may be none.
    pub(super) fn skip_space(&mut self) {
        self.take_while(is_space);
    }

    /// Takes what stands up to the next space; empty at the end only.
    pub(super) fn word(&mut self) -> Placed<&'a str> {
        self.take_while(|char| !is_space(char))
    }

    /// Takes a character that must come.
    pub(super) fn expect(&mut self, wanted: char, problem: &str) -> Result<(), TranscriptError> {
        if self.peek() != Some(wanted) {
            return Err(self.place.error(problem));
        }
        self.take();
        Ok(())
    }

    /// Takes a text in quotes.
    pub(super) fn quoted(&mut self) -> Result<Placed<String>, TranscriptError> {
        let place = self.place;
        self.expect('"', "a tag is [Name \"value\"]")?;
        let mut value = String::new();
        loop {
            let here = self.place;
            match self.take() {
                None | Some('\r' | '\n') => return Err(place.error("a quote that does not end")),
                Some('"') => return Ok(Placed { value, place }),
                Some('\\') => match self.take() {
                    Some(escaped @ ('"' | '\\')) => value.push(escaped),
                    _ => return Err(here.error("in quotes, \\ stands before \" or \\ only")),
                },
                Some(char) if char.is_control() => {
                    return Err(here.error("a control character"));
                }
                Some(char) => value.push(char),
            }
        }
    }
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\r' | '\n')
}
