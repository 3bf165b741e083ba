//! Texts of dates, times and durations: meaning and round trips.

use super::temporal::*;

#[test]
fn texts_round_trip() {
    for text in [
        "2024-01-31",
        "10:30:00",
        "10:30:00.25",
        "10:30:00Z",
        "10:30:00-05:30",
        "2024-01-31T10:30:00",
        "2024-01-31T10:30:00Z",
        "2024-01-31T10:30:00+02:00",
        "2024-07-31T10:30:00@Europe/Paris",
        "P1D",
        "-P1DT2H3M4.5S",
        "PT0S",
        "PT36S",
        "P1Y2M",
        "-P3M",
        "P2Y",
    ] {
        assert_eq!(parse_any(text).map(|v| v.to_string()).as_deref(), Some(text));
    }
}

#[test]
fn durations_are_normalised() {
    for (text, normal) in
        [("P14M", "P1Y2M"), ("PT25H", "P1DT1H"), ("P0D", "PT0S"), ("PT90M", "PT1H30M"), ("P0Y", "P0M")]
    {
        assert_eq!(parse_duration(text).unwrap().to_string(), normal, "{text}");
    }
}

#[test]
fn malformed_texts_are_nothing() {
    for text in [
        "",
        "P",
        "PT",
        "P1",
        "1D",
        "P1Y2D",
        "P1DT",
        "PT1.S",
        "PT1D",
        "P1M1Y",
        "PT1S1H",
        "PT1H2H",
        "2024-1-1",
        "2024-13-01",
        "2024-02-30",
        "20240101",
        "25:00:00",
        "10:30",
        "10:30:60",
        "10:30:00+2",
        "10:30:00+99:00",
        "10:30:00@Europe/Paris",
        "2024-01-01T10:30",
        "2024-01-01T10:30:00@Nowhere/Land",
        "2024-01-01T",
        "T10:30:00",
        "P-1D",
        "P99999999999999999999D",
        "2024-01-01T10:30:00+01:00x",
        "é024-01-01",
        "10:30:0é",
        "+é",
        "Pé",
        "P1éD",
        "PTéS",
        "PT1.éS",
    ] {
        assert_eq!(parse_any(text), None, "{text}");
    }
}

#[test]
fn a_zone_named_beside_its_offset_is_the_zone() {
    let moment = parse_date_time("2024-07-31T10:30:00+02:00[Europe/Paris]").unwrap();
    assert_eq!(moment.to_string(), "2024-07-31T10:30:00@Europe/Paris");
    assert_eq!(moment.to_iso(), "2024-07-31T10:30:00+02:00");
}
