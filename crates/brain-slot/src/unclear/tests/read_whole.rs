//! Values that are read whole, by region.

use super::*;

#[test]
fn amounts_are_read_whole() {
    all_read(
        &SlotKind::Money,
        &[
            ("IE", "4,63", "4.63"),
            ("IE", "€4,63", "4.63"),
            ("AU", "4,63", "4.63"),
            ("US", "$4,63", "4.63"),
            ("IE", "4.63", "4.63"),
            ("DE", "4,63", "4.63"),
            ("DE", "4.63", "4.63"),
            ("DE", "4,63 euro", "4.63"),
            ("IE", "1.250,00", "1250.00"),
            ("AU", "1.250,00", "1250.00"),
            ("DE", "1.250,00", "1250.00"),
            ("DE", "1,250.00", "1250.00"),
            ("US", "1,250.00", "1250.00"),
            ("AU", "1,250", "1250"),
            ("US", "$1,250", "1250"),
            ("GB", "£1,250", "1250"),
            ("DE", "1.250", "1250"),
            ("DE", "1.250 euro", "1250"),
            ("CH", "12'500", "12500"),
            ("IE", "12'500", "12500"),
            ("AU", "12'500.50", "12500.50"),
            ("IN", "12,34,567", "1234567"),
            ("IN", "₹1,25,000.50", "125000.50"),
            ("IN", "5 lakh", "500000"),
            ("IN", "two crore rupees", "20000000"),
            ("IN", "rs. 500", "500"),
            ("IE", "10 euro 50", "10.50"),
            ("IE", "10 euros 50", "10.50"),
            ("IE", "4 euro 63 cent", "4.63"),
            ("IE", "4 euro and 63 cent", "4.63"),
            ("DE", "4€63", "4.63"),
            ("IE", "four euro fifty", "4.50"),
            ("IE", "four euro sixty-three cent", "4.63"),
            ("GB", "£4 50p", "4.50"),
            ("US", "$4 and 50 cents", "4.50"),
            ("US", "5 dollars 25", "5.25"),
            ("AU", "5k", "5000"),
            ("AU", "$5k", "5000"),
            ("AU", "1.5k", "1500"),
            ("IE", "63 cent", "0.63"),
            ("IE", "0.63 euros", "0.63"),
            ("IE", "5 euro", "5"),
            ("AU", "two hundred and fifty dollars", "250"),
            ("GB", "12 quid", "12"),
            ("IE", "a couple of euro", "2"),
            ("IE", "a dozen euro", "12"),
            ("IE", "one and a half euro", "1.5"),
        ],
    );
}

#[test]
fn numbers_and_quantities_are_read_whole() {
    all_read(
        &SlotKind::Decimal,
        &[
            ("AU", "4,63", "4.63"),
            ("US", "0,250", "0.250"),
            ("AU", "1.250", "1.250"),
            ("DE", "1.250", "1250"),
            ("DE", "12,5", "12.5"),
            ("FR", "1 250,50", "1250.50"),
            ("AU", "1,250", "1250"),
            ("IN", "1,25,000", "125000"),
            ("AU", "1/2", "0.5"),
            ("AU", "½", "0.5"),
            ("AU", "2½", "2.5"),
            ("AU", "one and a half", "1.5"),
            ("AU", "10%", "10"),
            ("AU", "twelve percent", "12"),
        ],
    );
    all_read(
        &kg(),
        &[
            ("IE", "half a kilo", "0.5"),
            ("IE", "two and a half kilos", "2.5"),
            ("IE", "a couple of kilos", "2"),
            ("IE", "a dozen kilos", "12"),
            ("IE", "1,5 kg", "1.5"),
            ("IE", "1,250 kg", "1250"),
            ("DE", "1,250 kg", "1.250"),
            ("IE", "1.250 kg", "1.250"),
            ("US", "5 lbs", "2.267962"),
            ("GB", "500g", "0.5"),
            ("AU", "1/2 tonne", "500"),
            ("AU", "½ kg", "0.5"),
            ("IE", "3", "3"),
            ("IE", "three quarters of a kilo", "0.75"),
        ],
    );
    all_read(
        &SlotKind::quantity("m2"),
        &[("AU", "40 square metres", "40"), ("US", "100 sq ft", "9.290304"), ("DE", "12,5 m2", "12.5")],
    );
    all_read(
        &SlotKind::Integer,
        &[
            ("AU", "1,250", "1250"),
            ("DE", "1.250", "1250"),
            ("AU", "a dozen", "12"),
            ("AU", "a couple of", "2"),
            ("AU", "half a dozen", "6"),
            ("AU", "5k", "5000"),
            ("CH", "12'500", "12500"),
        ],
    );
}

#[test]
fn days_times_and_durations_are_read_whole() {
    all_read(
        &SlotKind::Date,
        &[
            ("IE", "31 October", "2027-10-31"),
            ("IE", "Friday the 20th", "2026-11-20"),
            ("AU", "Friday 20 November", "2026-11-20"),
            ("AU", "Sunday, 13 December", "2026-12-13"),
            ("AU", "Friday next week", "2026-11-20"),
            ("AU", "next week on Friday", "2026-11-20"),
            ("US", "12/1/2026", "2026-12-01"),
            ("GB", "1/12/2026", "2026-12-01"),
            ("DE", "1.12.2026", "2026-12-01"),
            ("AU", "29 February 2028", "2028-02-29"),
            ("IE", "the day after tomorrow", "2026-11-17"),
        ],
    );
    all_read(
        &SlotKind::Time,
        &[
            ("IE", "half past three", "15:30"),
            ("AU", "quarter to five", "16:45"),
            ("US", "3:30 pm", "15:30"),
            ("DE", "15:30", "15:30"),
            ("GB", "noon", "12:00"),
        ],
    );
    all_read(
        &SlotKind::Duration,
        &[
            ("AU", "an hour and a half", "PT1H30M"),
            ("AU", "90 min", "PT1H30M"),
            ("DE", "1,5 hours", "PT1H30M"),
            ("AU", "2 hours and 20 minutes", "PT2H20M"),
            ("GB", "half an hour", "PT30M"),
            ("US", "two weeks", "P14D"),
        ],
    );
    all_read(
        &SlotKind::DateTime,
        &[("AU", "Friday at half past three", "2026-11-20T15:30:00Z"), ("IE", "tomorrow at 9", "2026-11-16T09:00:00Z")],
    );
    all_read(&SlotKind::Phone, &[("AU", "0412 345 678", "0412 345 678"), ("US", "(415) 555-0100", "(415) 555-0100")]);
}
