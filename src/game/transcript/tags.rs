//! The tags before the moves: `[Name "value"]`, each at most once.

use super::{Place, Placed, TranscriptError, reader::Reader, shown};

/// A tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Variant,
    Rules,
    Holes,
    Seeds,
    South,
    North,
    Date,
    TargetWins,
    First,
    Start,
    Result,
    Reason,
    Score,
}

impl Tag {
    /// All of them, in the order in which they are written.
    const ALL: [Tag; 13] = [
        Tag::Variant,
        Tag::Rules,
        Tag::Holes,
        Tag::Seeds,
        Tag::South,
        Tag::North,
        Tag::Date,
        Tag::TargetWins,
        Tag::First,
        Tag::Start,
        Tag::Result,
        Tag::Reason,
        Tag::Score,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Tag::Variant => "Variant",
            Tag::Rules => "Rules",
            Tag::Holes => "Holes",
            Tag::Seeds => "Seeds",
            Tag::South => "South",
            Tag::North => "North",
            Tag::Date => "Date",
            Tag::TargetWins => "TargetWins",
            Tag::First => "First",
            Tag::Start => "Start",
            Tag::Result => "Result",
            Tag::Reason => "Reason",
            Tag::Score => "Score",
        }
    }
}

/// The tags of a text.
pub(super) struct Tags {
    values: [Option<Placed<String>>; Tag::ALL.len()],
    /// Where they end.
    end: Place,
}

impl Tags {
    /// Reads all tags. The reader is then at the first move, or at the end.
    pub(super) fn read(reader: &mut Reader) -> Result<Tags, TranscriptError> {
        let mut values = [const { None }; Tag::ALL.len()];
        loop {
            reader.skip_space();
            if reader.peek() != Some('[') {
                let end = reader.place();
                return Ok(Tags { values, end });
            }
            reader.take();
            let name = reader.take_while(|char| char.is_ascii_alphanumeric());
            let known = Tag::ALL.into_iter().find(|tag| tag.name() == name.value);
            let problem = || format!("there is no tag {}", shown(name.value));
            let tag = known.ok_or_else(|| name.place.error(problem()))?;
            reader.skip_space();
            let value = reader.quoted()?;
            reader.skip_space();
            reader.expect(']', "a tag ends with ]")?;
            if values[tag as usize].replace(value).is_some() {
                let problem = format!("the tag {} stands here again", tag.name());
                return Err(name.place.error(problem));
            }
        }
    }

    /// A tag's value, if it is there.
    pub(super) fn take(&mut self, tag: Tag) -> Option<Placed<String>> {
        self.values[tag as usize].take()
    }

    /// The value of a tag that must be there.
    pub(super) fn required(&mut self, tag: Tag) -> Result<Placed<String>, TranscriptError> {
        let missing = || format!("the tag {} is missing", tag.name());
        self.take(tag).ok_or_else(|| self.end.error(missing()))
    }

    /// A tag's value as what it stands for, if it is there.
    pub(super) fn read_as<T>(
        &mut self,
        tag: Tag,
        wanted: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<Placed<T>>, TranscriptError> {
        let value = self.take(tag);
        let read = value.map(|value| converted(tag, value, wanted, read));
        read.transpose()
    }

    /// A tag's value as it is, or empty.
    pub(super) fn text(
        &mut self,
        tag: Tag,
        wanted: &str,
        is_good: impl Fn(&str) -> bool,
    ) -> Result<String, TranscriptError> {
        let read = |text: &str| is_good(text).then(|| text.to_owned());
        let text = self.read_as(tag, wanted, read)?;
        Ok(text.map(|text| text.value).unwrap_or_default())
    }
}

/// A tag's value as what it stands for.
pub(super) fn converted<T>(
    tag: Tag,
    value: Placed<String>,
    wanted: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Placed<T>, TranscriptError> {
    let Placed { value, place } = value;
    let refused = || place.error(format!("{} is {wanted}", tag.name()));
    let value = read(&value).ok_or_else(refused)?;
    Ok(Placed { value, place })
}
