//! What a refusal says, without its prose.

use std::fmt::Debug;

use mancala::grpc::Reason;
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt as _};

/// The details of a status with this reason, and with the reason's code.
#[track_caller]
pub(crate) fn assert_reason(status: &Status, reason: Reason) -> ErrorDetails {
    let details = status.get_error_details();
    let info = details.error_info();
    let info = info.unwrap_or_else(|| panic!("no ErrorInfo: {status:?}"));
    assert_eq!(info.reason, reason.name(), "{status:?}");
    assert_eq!(info.domain, "mancala.v1");
    assert_eq!(status.code(), reason.code(), "{status:?}");
    details
}

/// The details of an answer that must be a refusal with this reason.
#[track_caller]
pub(crate) fn refused<T: Debug>(answer: Result<T, Status>, reason: Reason) -> ErrorDetails {
    match answer {
        Ok(answer) => panic!("{} expected, not {answer:?}", reason.name()),
        Err(status) => assert_reason(&status, reason),
    }
}

/// Asserts that a refusal is about this field.
#[track_caller]
pub(crate) fn refused_field<T: Debug>(answer: Result<T, Status>, reason: Reason, field: &str) {
    let details = refused(answer, reason);
    let request = details.bad_request().expect("a BadRequest");
    let fields: Vec<_> = request
        .field_violations
        .iter()
        .map(|violation| violation.field.as_str())
        .collect();
    assert_eq!(fields, [field]);
}

/// Asserts that a refusal is about a place in the text of a field; gives the rule that a move there is
/// against.
#[track_caller]
pub(crate) fn refused_text<T: Debug>(
    answer: Result<T, Status>,
    field: &str,
    (line, column): (usize, usize),
) -> Option<String> {
    let status = answer.expect_err("a refusal");
    let details = assert_reason(&status, Reason::InvalidRecord);
    let metadata = &details.error_info().unwrap().metadata;
    let place = (line.to_string(), column.to_string());
    let told = (metadata["line"].clone(), metadata["column"].clone());
    assert_eq!(told, place, "{status:?}");
    refused_field(Err::<T, _>(status.clone()), Reason::InvalidRecord, field);
    metadata.get("rule").cloned()
}

/// Asserts that a refusal is about a precondition of this type.
#[track_caller]
pub(crate) fn refused_precondition<T: Debug>(
    answer: Result<T, Status>,
    reason: Reason,
    kind: &str,
) {
    let details = refused(answer, reason);
    let failure = details.precondition_failure();
    let failure = failure.expect("a PreconditionFailure");
    let kinds: Vec<_> = failure
        .violations
        .iter()
        .map(|violation| violation.r#type.as_str())
        .collect();
    assert_eq!(kinds, [kind]);
}

/// Asserts that a refusal is about something that isn't there.
#[track_caller]
pub(crate) fn refused_missing<T: Debug>(
    answer: Result<T, Status>,
    reason: Reason,
    kind: &str,
    name: &str,
) {
    let details = refused(answer, reason);
    let resource = details.resource_info().expect("a ResourceInfo");
    assert_eq!(
        (
            resource.resource_type.as_str(),
            resource.resource_name.as_str()
        ),
        (kind, name)
    );
}

/// Asserts that a refusal is about a limit of this subject.
#[track_caller]
pub(crate) fn refused_quota<T: Debug>(answer: Result<T, Status>, reason: Reason, subject: &str) {
    let details = refused(answer, reason);
    let quota = details.quota_failure().expect("a QuotaFailure");
    let subjects: Vec<_> = quota
        .violations
        .iter()
        .map(|violation| violation.subject.as_str())
        .collect();
    assert_eq!(subjects, [subject]);
}
