//! Days of the calendar, as `YYYY-MM-DD`.

use super::Time;

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// The day of an instant, in UTC; empty beyond the year 9999, or before the year 0.
pub(super) fn date(time: Time) -> String {
    // Eras of 400 years, each of which begins on the first of March: a leap day is the last of its year.
    let day = time.0.div_euclid(DAY) + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    match year {
        0..=9_999 => format!("{year:04}-{month:02}-{day:02}"),
        _ => String::new(),
    }
}

/// Whether a text is a day that there was or will be.
pub(super) fn is_date(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split('-');
    let mut part = |len| {
        let part = parts.next().filter(|part| part.len() == len);
        part.filter(|part| digits(part))?.parse::<u32>().ok()
    };
    let (Some(year), Some(month), Some(day)) = (part(4), part(2), part(2)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day) && parts.next().is_none()
}
