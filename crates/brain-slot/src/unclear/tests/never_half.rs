//! Expressions from which nothing is taken, and why.

use super::*;

#[test]
fn amounts_are_never_half_taken() {
    all_unclear(
        &SlotKind::Money,
        &[
            ("IE", "Maria paid 5 or 6 euro", "“5 or 6 euro” could be 5.00 or 6.00."),
            ("IE", "Maria paid 5 euro or 6", "“5 euro or 6” could be 5.00 or 6.00."),
            ("AU", "pay $5, $6 or $7", "“$5, $6 or $7” could be 5.00, 6.00 or 7.00."),
            ("IE", "Maria paid half", "“half” is not one complete value."),
            ("IE", "Maria paid a quarter", "“a quarter” is not one complete value."),
            ("IE", "charge Maria $12.50", "“$12.50” is in another currency; this pack uses EUR."),
            ("IE", "charge Maria 12 pounds", "“12 pounds” is in another currency; this pack uses EUR."),
            ("AU", "charge €45", "“€45” is in another currency; this pack uses AUD."),
            ("US", "pay 45 rupees", "“45 rupees” is in another currency; this pack uses USD."),
            ("IE", "about 20 euro", "“about 20 euro” is not exact."),
            ("IE", "roughly €20", "“roughly €20” is not exact."),
            ("AU", "~ $20", "“~ $20” is not exact."),
            ("AU", "pay $20 or so", "“$20 or so” is not exact."),
            ("AU", "pay $20ish", "“$20ish” is not exact."),
            ("AU", "twenty-odd dollars", "“twenty-odd” is not exact."),
            ("IE", "10 euro or 11 euro 50", "“10 euro or 11 euro 50” could be 10.00 or 11.50."),
            ("AU", "at least $20", "“at least $20” is a lower limit, not a value."),
            ("AU", "up to $20", "“up to $20” is an upper limit, not a value."),
            ("AU", "no more than $20", "“no more than $20” is an upper limit, not a value."),
            ("AU", "under $200", "“under $200” is an upper limit, not a value."),
            ("AU", "$200 or more", "“$200 or more” is a lower limit, not a value."),
            ("AU", "$200+", "“$200+” is a lower limit, not a value."),
            ("AU", "$5-10", "“$5-10” is a range, not one value."),
            ("AU", "$5 - $10", "“$5 - $10” is a range, not one value."),
            ("IE", "between 90 and 100 euro", "“between 90 and 100 euro” is a range, not one value."),
            ("IE", "from 90 to 100 euro", "“from 90 to 100 euro” is a range, not one value."),
            ("IE", "5 to 6 euro", "“5 to 6 euro” is a range, not one value."),
            ("IE", "5 euro and 6 euro", "“5 euro and 6 euro” is more than one value."),
            ("AU", "1.250", "“1.250” could be 1250 or 1.25."),
            ("IE", "€5/€6", "“€5/€6” could be 5.00 or 6.00."),
            ("IE", "paid half of 20 euro", "“half of 20 euro” is not one complete value."),
            ("IE", "paid 3 times 5 euro", "“3 times 5 euro” is not one complete value."),
            ("IE", "10 euro 50 tiles", "“10 euro 50” is not one complete value."),
            ("IE", "2.000 euro", "“2.000 euro” could be 2000 or 2.00."),
            ("IE", "€1.250", "“€1.250” could be 1250 or 1.25."),
            ("DE", "1,250 euro", "“1,250 euro” could be 1250 or 1.25."),
            ("IE", "4.635 euro", "“4.635 euro” could be 4635 or 4.635."),
            ("IE", "4.6351 euro", "“4.6351 euro” has more decimals than EUR has."),
            ("IE", "0.635 euro", "“0.635 euro” has more decimals than EUR has."),
            ("IE", "1 250 euro", "“1 250 euro” could be 1250 or 1 and 250."),
            ("IE", "10 euro 500", "“10 euro 500” is not one complete value."),
            ("IE", "10 euro 5", "“10 euro 5” is not one complete value."),
            ("IE", "two fifty", "“two fifty” is not one complete value."),
            ("IE", "4,6", "“4,6” could be 4.6 or 4 and 6."),
            ("IE", "Maria took 2 bags of clay", "“2 bags” is not an amount of money."),
        ],
    );
}

#[test]
fn quantities_and_numbers_are_never_half_taken() {
    all_unclear(
        &kg(),
        &[
            ("IE", "Maria took 2 bags of clay", "“2 bags” is not an amount in kg."),
            ("IE", "Maria took 2 big bags of clay", "“2 big bags” is not an amount in kg."),
            ("IE", "Maria took 3 boxes", "“3 boxes” is not an amount in kg."),
            ("IE", "2-3 kg", "“2-3 kg” is a range, not one value."),
            ("IE", "Maria took 2–3 kg of clay", "“2-3 kg” is a range, not one value."),
            ("IE", "2 - 3 kg", "“2 - 3 kg” is a range, not one value."),
            ("IE", "2 to 3 kg", "“2 to 3 kg” is a range, not one value."),
            ("IE", "2 kg to 3 kg", "“2 kg to 3 kg” is a range, not one value."),
            ("IE", "between 90 and 100 kg", "“between 90 and 100 kg” is a range, not one value."),
            ("IE", "2 or 3 kg", "“2 or 3 kg” could be 2 or 3."),
            ("IE", "5 and 6 kilos", "“5 and 6 kilos” is more than one value."),
            ("IE", "5 kg and 6 kg", "“5 kg and 6 kg” is more than one value."),
            ("IE", "2, 3 and 4 kg", "“2, 3 and 4 kg” is more than one value."),
            ("IE", "about 2 kg", "“about 2 kg” is not exact."),
            ("IE", "around half a kilo", "“around half a kilo” is not exact."),
            ("IE", "nearly two and a half kilos", "“nearly two and a half kilos” is not exact."),
            ("IE", "just over 2 kg", "“just over 2 kg” is not exact."),
            ("IE", "2 kg or so", "“2 kg or so” is not exact."),
            ("IE", "2 kg or thereabouts", "“2 kg or thereabouts” is not exact."),
            ("IE", "more than 2 kg", "“more than 2 kg” is a lower limit, not a value."),
            ("IE", "2 kg at least", "“2 kg at least” is a lower limit, not a value."),
            ("IE", "half", "“half” is not one complete value."),
            ("IE", "2 kg 500 g", "“2 kg 500 g” is not one complete value."),
            ("IE", "2kg 500g", "“2kg 500g” is not one complete value."),
            ("IE", "5 kilos max", "“5 kilos max” is an upper limit, not a value."),
        ],
    );
    all_unclear(
        &SlotKind::Integer,
        &[
            ("AU", "5 or 6", "“5 or 6” could be 5 or 6."),
            ("AU", "five or six", "“five or six” could be 5 or 6."),
            ("AU", "5-10", "“5-10” is a range, not one value."),
            ("AU", "about 20", "“about 20” is not exact."),
            ("AU", "around 5ish", "“around 5ish” is not exact."),
            ("AU", "20-odd", "“20-odd” is not exact."),
            ("AU", "roughly twenty", "“roughly twenty” is not exact."),
            ("AU", "at least 5", "“at least 5” is a lower limit, not a value."),
            ("AU", "up to 10", "“up to 10” is an upper limit, not a value."),
            ("AU", ">= 5", "“>= 5” is a lower limit, not a value."),
            ("AU", "1, 2 and 5", "“1, 2 and 5” is more than one value."),
            ("AU", "twenty twenty", "“twenty twenty” is not one complete value."),
            ("AU", "five point five", "“five point five” is not one complete value."),
            ("US", "1 250", "“1 250” could be 1250 or 1 and 250."),
        ],
    );
    all_unclear(
        &SlotKind::Decimal,
        &[
            ("AU", "half", "“half” is not one complete value."),
            ("AU", "1,5", "“1,5” could be 1.5 or 1 and 5."),
            ("DE", "2,5-3", "“2,5-3” is a range, not one value."),
        ],
    );
}

#[test]
fn days_are_never_half_taken() {
    all_unclear(
        &SlotKind::Date,
        &[
            ("IE", "plan a firing on 31 November", "There is no 31 November."),
            ("IE", "November 31", "There is no 31 November."),
            ("IE", "29 Feb 2026", "There is no 29 February 2026."),
            ("AU", "30/2/2026", "There is no 30/2/2026."),
            ("AU", "2026-13-01", "There is no 2026-13-01."),
            ("AU", "31/11", "There is no 31/11."),
            ("AU", "Friday 31 November", "There is no 31 November."),
            ("AU", "on the 32nd", "There is no day 32 in a month."),
            ("IE", "Friday the 13th", "13 December is a Sunday, not a Friday."),
            ("IE", "on Friday the 14th", "14 December is a Monday, not a Friday."),
            ("IE", "Friday 13 December", "13 December is a Sunday, not a Friday."),
            ("IE", "Friday, 13 December 2026", "13 December is a Sunday, not a Friday."),
            ("AU", "Friday 13/12/2026", "13 December is a Sunday, not a Friday."),
            ("AU", "Saturday 20 November", "20 November is a Friday, not a Saturday."),
            ("IE", "Friday or Saturday", "“friday or saturday” could be 20 November or 21 November."),
            ("IE", "Friday/Saturday", "“friday/saturday” could be 20 November or 21 November."),
            ("IE", "on Friday and Saturday", "“friday and saturday” is more than one value."),
            ("IE", "Friday, Saturday", "“friday, saturday” is more than one value."),
            ("IE", "Friday to Sunday", "“friday to sunday” is a range, not one value."),
            ("IE", "from Monday to Friday", "“from monday to friday” is a range, not one value."),
            ("IE", "Mon-Fri", "“mon-fri” is a range, not one value."),
            ("IE", "3 or 4 May", "“3 or 4 may” could be one or the other."),
            ("IE", "the 3rd or 4th of May", "“the 3rd or 4th of may” could be one or the other."),
            ("IE", "5-6 May", "“5-6 may” is a range, not one value."),
            ("IE", "every Friday", "“every friday” happens more than once; this needs one time."),
            ("IE", "each Friday", "“each friday” happens more than once; this needs one time."),
            ("IE", "every other Friday", "“every other friday” happens more than once; this needs one time."),
            ("IE", "on Fridays", "“on fridays” happens more than once; this needs one time."),
            ("IE", "mow the lawn weekly", "“weekly” happens more than once; this needs one time."),
            ("IE", "every 2 weeks", "“every 2 weeks” happens more than once; this needs one time."),
            ("IE", "Friday each week", "“friday each week” happens more than once; this needs one time."),
            ("IE", "around Friday", "“around friday” is not exact."),
            ("IE", "maybe Friday", "“maybe friday” is not exact."),
            ("IE", "before Friday", "“before friday” is an upper limit, not a value."),
            ("IE", "no later than Friday", "“no later than friday” is an upper limit, not a value."),
            ("IE", "Friday after next", "“friday after next” is not one complete value."),
            ("IE", "first Friday of December", "“first friday of” is not one complete value."),
            ("IE", "in a week or two", "“in a week or two” could be one or the other."),
            ("IE", "end of May or June", "“end of may or june” could be one or the other."),
            ("IE", "tomorrow or the day after", "“tomorrow or the day after” could be one or the other."),
            ("IE", "the 3rd Friday", "“the 3rd friday” is not one complete value."),
            ("IE", "Friday fortnight", "“friday fortnight” is not one complete value."),
            ("IE", "early next week", "“early next week” is not exact."),
            ("IE", "12-14 November", "“12-14 november” is a range, not one value."),
            ("DE", "29.2.2026", "There is no 29.2.2026."),
            ("IE", "today or tomorrow", "“today or tomorrow” could be 15 November or 16 November."),
            ("IE", "Friday 13", "“friday 13” is not one complete value."),
        ],
    );
}

#[test]
fn times_durations_and_phone_numbers_are_never_half_taken() {
    all_unclear(
        &SlotKind::Time,
        &[
            ("AU", "3 or 4pm", "“3 or 4pm” could be 15:00 or 16:00."),
            ("AU", "3pm-4pm", "“3pm-4pm” is a range, not one value."),
            ("AU", "around 3pm", "“around 3pm” is not exact."),
            ("AU", "about half past three", "“about half past three” is not exact."),
            ("AU", "9am every day", "“9am every day” happens more than once; this needs one time."),
            ("AU", "after 3pm", "“after 3pm” is a lower limit, not a value."),
            ("IE", "3pm or so", "“3pm or so” is not exact."),
        ],
    );
    all_unclear(
        &SlotKind::DateTime,
        &[
            ("AU", "Friday at 3 or 4", "“friday at 3 or 4” could be one or the other."),
            ("AU", "tomorrow around 9", "“tomorrow around 9” is not exact."),
            ("AU", "every Friday at 9", "“every friday at 9” happens more than once; this needs one time."),
            ("IE", "tomorrow at 9 or on Friday at 10", "“tomorrow at 9 or on friday at 10” could be one or the other."),
        ],
    );
    all_unclear(
        &SlotKind::Duration,
        &[
            ("AU", "2-3 hours", "“2-3 hours” is a range, not one value."),
            ("AU", "2 or 3 hours", "“2 or 3 hours” could be one or the other."),
            ("AU", "an hour or two", "“an hour or two” could be one or the other."),
            ("AU", "about an hour", "“about an hour” is not exact."),
            ("AU", "half an hour or so", "“half an hour or so” is not exact."),
            ("AU", "at least 90 minutes", "“at least 90 minutes” is a lower limit, not a value."),
        ],
    );
    all_unclear(
        &SlotKind::Phone,
        &[
            ("AU", "0412 345 67", "“0412 345 67” does not have as many digits as a phone number."),
            ("AU", "0412 345 678 90", "“0412 345 678 90” does not have as many digits as a phone number."),
            ("AU", "0412 345 678 or 0412 345 679", "“0412 345 678 or 0412 345 679” could be one or the other."),
            ("GB", "020 7946", "“020 7946” does not have as many digits as a phone number."),
        ],
    );
}
