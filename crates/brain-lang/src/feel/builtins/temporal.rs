//! The current time, from the environment, and calendar functions.

use jiff::civil::{Date, Weekday};

use super::{Builtin, Call, given, sig};
use crate::feel::error::FeelError;
use crate::feel::eval::Evaluated;
use crate::feel::temporal::DateTime;
use crate::feel::value::Value;

const DATE: &[super::Signature] = &[sig(&["date"], 1)];

pub(super) const FUNCTIONS: &[Builtin] = &[
    Builtin { name: "now", signatures: &[sig(&[], 0)], run: now },
    Builtin { name: "today", signatures: &[sig(&[], 0)], run: today },
    Builtin { name: "day of week", signatures: DATE, run: day_of_week },
    Builtin { name: "day of year", signatures: DATE, run: day_of_year },
    Builtin { name: "week of year", signatures: DATE, run: week_of_year },
    Builtin { name: "month of year", signatures: DATE, run: month_of_year },
    Builtin { name: "last day of month", signatures: DATE, run: last_day_of_month },
];

const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
];

fn now(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let env = &call.evaluator.env;
    Ok(Value::DateTime(DateTime::Zoned(Box::new(env.now.to_zoned(env.time_zone.clone())))))
}

fn today(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let env = &call.evaluator.env;
    Ok(Value::Date(env.now.to_zoned(env.time_zone.clone()).date()))
}

fn date(call: &Call<'_, '_, '_>) -> Result<Option<Date>, FeelError> {
    match call.arg(0) {
        Value::Null => Ok(None),
        Value::Date(date) => Ok(Some(*date)),
        Value::DateTime(moment) => Ok(Some(moment.civil().date())),
        _ => Err(call.wrong(0, "a date or a date and time")),
    }
}

fn day_of_week(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::from(match given!(date(call)).weekday() {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }))
}

fn day_of_year(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::from(i64::from(given!(date(call)).day_of_year())))
}

/// The ISO 8601 week: week 1 has the year's first Thursday.
fn week_of_year(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::from(i64::from(given!(date(call)).iso_week_date().week())))
}

fn month_of_year(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let month = given!(date(call)).month();
    let name = usize::try_from(month).ok().and_then(|month| MONTHS.get(month - 1));
    Ok(Value::from(*name.expect("a date's month is 1 to 12")))
}

fn last_day_of_month(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::Date(given!(date(call)).last_of_month()))
}
