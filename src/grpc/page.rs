//! Page sizes and page tokens.

use prost::Message;
use sha2::{Digest as _, Sha256};
use tonic::Status;

use super::error::{Reason, invalid};

const DEFAULT: u32 = 50;
const MOST: u32 = 200;

/// The size of a page that a request asks for.
pub(super) fn size(asked: u32) -> Result<u32, Status> {
    match asked {
        0 => Ok(DEFAULT),
        1..=MOST => Ok(asked),
        _ => Err(invalid("page_size", format!("at most {MOST}"))),
    }
}

/// A token that lets a list go on after a cursor, with the same filter only.
pub(super) fn token(filter: &impl Message, cursor: u64) -> String {
    format!("{:016x}{cursor:016x}", fingerprint(filter))
}

/// The cursor of a token that was made for this filter; `None` for the first page.
pub(super) fn cursor(filter: &impl Message, token: &str) -> Result<Option<u64>, Status> {
    if token.is_empty() {
        return Ok(None);
    }
    let invalid =
        || Reason::InvalidPageToken.field("page_token", Reason::InvalidPageToken.meaning());
    let (filter_part, cursor) = token.split_at_checked(16).ok_or_else(invalid)?;
    let number = |part: &str| {
        let plain = part.len() == 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(part, 16)
            .ok()
            .filter(|_| plain)
            .ok_or_else(invalid)
    };
    if number(filter_part)? != fingerprint(filter) {
        return Err(invalid());
    }
    number(cursor).map(Some)
}

fn fingerprint(filter: &impl Message) -> u64 {
    let hash: [u8; 32] = Sha256::digest(filter.encode_to_vec()).into();
    hash.iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
