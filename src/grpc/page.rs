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
pub(super) fn token(filter: &impl Message, cursor: u128) -> String {
    format!("{:016x}{cursor:032x}", fingerprint(filter))
}

/// The cursor of a token that was made for this filter; `None` for the first page.
pub(super) fn cursor(filter: &impl Message, token: &str) -> Result<Option<u128>, Status> {
    if token.is_empty() {
        return Ok(None);
    }
    let invalid =
        || Reason::InvalidPageToken.field("page_token", Reason::InvalidPageToken.meaning());
    let (filter_part, cursor) = token.split_at_checked(16).ok_or_else(invalid)?;
    let plain = cursor.len() == 32 && cursor.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !plain || filter_part != format!("{:016x}", fingerprint(filter)) {
        return Err(invalid());
    }
    u128::from_str_radix(cursor, 16)
        .map(Some)
        .map_err(|_| invalid())
}

fn fingerprint(filter: &impl Message) -> u64 {
    let hash: [u8; 32] = Sha256::digest(filter.encode_to_vec()).into();
    hash.iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
