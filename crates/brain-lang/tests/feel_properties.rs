//! Properties for any input: no panic, however mangled the source, and exact decimals.

use brain_lang::feel::{self, Env, Scope, Value};
use brain_lang::{Binding, Text};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use rust_decimal::Decimal;

const TABLE: &str = include_str!("feel_table.tsv");

/// The current time of every evaluation here: 2024-01-31T10:00:00Z.
const NOW: Timestamp = Timestamp::constant(1_706_695_200, 0);

/// Little fuel, so that loops end soon.
const FUEL: u64 = 20_000;

fn evaluate(source: &str, context: &Value) -> Result<Value, feel::FeelError> {
    let mut random = || 7;
    let now = NOW;
    let mut env = Env { now, time_zone: TimeZone::UTC, random: &mut random, fuel: FUEL };
    let value = feel::eval(&feel::parse(source)?, &Scope::new(context), &mut env)?;
    value.to_json();
    let _ = value.to_string();
    Ok(value)
}

/// Fragments of expressions, so that random combinations get past the lexer.
const PIECES: [&str; 64] = [
    "1",
    "0.5",
    "-",
    "+",
    "*",
    "/",
    "**",
    "=",
    "!=",
    "<",
    ">=",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ".",
    "..",
    "?",
    "@",
    "\"a\"",
    "\"\\d\"",
    "\"P1D\"",
    "\"2024-02-29\"",
    "@\"P1M\"",
    "@\"2024-02-29\"",
    "@\"23:59:59\"",
    "null",
    "true",
    "false",
    "a",
    "b",
    "xs",
    "item",
    "partial",
    "if ",
    " then ",
    " else ",
    "for x in ",
    " return ",
    "some x in ",
    " satisfies ",
    " in ",
    " between ",
    " and ",
    " or ",
    " instance of ",
    "function(x) ",
    "number",
    "not(",
    "count(",
    "sum(",
    "date(",
    "string(",
    "sort(",
    "duration(",
    "replace(",
    "decimal(",
    "99999999999999999999999999",
    "sqrt(",
    "`",
];

fn context() -> Value {
    Value::from_json(&serde_json::json!({"a": 1, "b": {"a": "x"}, "xs": [1, 2, {"a": 3}, null]}))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_parses_or_is_rejected(source in ".{0,60}") {
        let _ = feel::parse(&source);
        let _ = feel::parse_unary_tests(&source);
        let _ = Text::parse(&source);
        let _ = Binding::parse(&serde_json::Value::String(source));
    }

    #[test]
    fn any_fragments_evaluate_or_are_rejected(pieces in prop::collection::vec(0..PIECES.len(), 0..14)) {
        let source: String = pieces.iter().map(|i| PIECES[*i]).collect();
        let _ = evaluate(&source, &context());
        let _ = feel::parse_unary_tests(&source);
    }

    #[test]
    fn a_mangled_row_of_the_table_does_not_panic(row in 0..400_usize, cut in 0..80_usize, piece in 0..PIECES.len(), drop in any::<bool>()) {
        let rows: Vec<&str> = TABLE.lines().filter(|line| !line.starts_with('#')).collect();
        let source: Vec<char> = rows[row % rows.len()].split('\t').next().unwrap_or("").chars().collect();
        let cut = cut % (source.len() + 1);
        let (head, tail) = source.split_at(cut);
        let mangled: String = head.iter().copied().chain(PIECES[piece].chars()).chain(tail.iter().copied().skip(usize::from(drop))).collect();
        let _ = evaluate(&mangled, &context());
        // An error's span lies within the source, on the borders of characters, so that it can be shown.
        if let Err(error) = feel::parse(&mangled) {
            prop_assert!(mangled.get(error.span.clone()).is_some(), "{mangled}: {error}");
        }
    }

    #[test]
    fn templates_of_fragments_do_not_panic(pieces in prop::collection::vec(0..PIECES.len(), 0..8), tag in any::<bool>()) {
        let inner: String = pieces.iter().map(|i| PIECES[*i]).collect();
        let source = if tag { format!("x {{% {inner} %}}") } else { format!("x {{{{ {inner} }}}}") };
        if let Ok(text) = Text::parse(&source) {
            let _ = text.render_value(&context());
        }
    }

    #[test]
    fn arithmetic_is_that_of_exact_decimals(a in -1_000_000_000_000_i64..1_000_000_000_000, b in -1_000_000_000_000_i64..1_000_000_000_000, scale_a in 0..6_u32, scale_b in 0..6_u32) {
        let (x, y) = (Decimal::new(a, scale_a), Decimal::new(b, scale_b));
        let run = |op: &str| evaluate(&format!("({x}) {op} ({y})"), &Value::Null);
        prop_assert_eq!(run("+").unwrap(), Value::Number(x + y));
        prop_assert_eq!(run("-").unwrap(), Value::Number(x - y));
        prop_assert_eq!(run("*").unwrap(), Value::Number(x * y));
        prop_assert_eq!(run("<").unwrap(), Value::Bool(x < y));
        prop_assert_eq!(run("=").unwrap(), Value::Bool(x == y));
        match run("/") {
            Ok(value) => prop_assert_eq!(value, Value::Number(x / y)),
            Err(error) => prop_assert!(y.is_zero(), "{error}"),
        }
    }

    #[test]
    fn functions_of_numbers_return_a_value_or_an_error(mantissa in any::<i64>(), high in any::<i32>(), scale in 0..28_u32, other in -50_i64..50) {
        let number = Decimal::from_i128_with_scale(i128::from(mantissa) * (i128::from(high) >> 6).max(1), scale);
        for function in ["sqrt", "exp", "log", "abs", "floor", "ceiling", "round up", "round half down", "odd", "string"] {
            let _ = evaluate(&format!("{function}({number})"), &Value::Null);
        }
        for expression in [
            format!("({number}) ** ({other})"),
            format!("({number}) ** ({other} / 7)"),
            format!("({other}) ** ({number})"),
            format!("modulo({number}, {other})"),
            format!("decimal({number}, {other})"),
            format!("@\"P1D\" * ({number})"),
            format!("@\"2024-02-29\" + @\"P1M\" * ({number})"),
            format!("stddev({number}, {other}, 3)"),
        ] {
            let _ = evaluate(&expression, &Value::Null);
        }
    }

    #[test]
    fn a_number_survives_json(mantissa in any::<i64>(), scale in 0..19_u32) {
        let number = Value::Number(Decimal::new(mantissa, scale));
        let schema = serde_json::json!({"format": "decimal"});
        prop_assert_eq!(Value::from_typed_json(&number.to_json(), &schema), number);
    }
}
