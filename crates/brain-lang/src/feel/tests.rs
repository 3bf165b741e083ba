//! Errors, limits and the environment, which a table of expressions and results cannot show.

use jiff::tz::TimeZone;

use super::*;

/// Evaluates at a fixed time in the given context.
fn run_in(source: &str, context: &Value, fuel: u64) -> Result<Value, FeelError> {
    let mut random = || 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef;
    let now = "2024-01-31T23:30:00Z".parse().unwrap();
    let zone = TimeZone::fixed(jiff::tz::offset(1));
    let mut env = Env { now, time_zone: zone, random: &mut random, fuel };
    eval(&parse(source)?, &Scope::new(context), &mut env)
}

fn run(source: &str) -> Result<Value, FeelError> {
    run_in(source, &Value::Null, DEFAULT_FUEL)
}

fn kind(source: &str) -> FeelErrorKind {
    match run(source) {
        Err(error) => error.kind,
        Ok(value) => panic!("{source} is {value}"),
    }
}

#[test]
fn a_missing_path_is_null() {
    assert_eq!(run("a.b.c"), Ok(Value::Null));
    assert_eq!(run("{a: 1}.b.c"), Ok(Value::Null));
}

#[test]
fn arithmetic_on_the_wrong_types_is_an_error_at_its_place() {
    let error = run("1 + (2 * \"x\")").unwrap_err();
    assert_eq!((error.kind, error.span.clone()), (FeelErrorKind::Type, 5..12));
    assert_eq!(error.help.unwrap(), "convert with `string(…)` or `number(…)` first");
    let error = run("missing + 1").unwrap_err();
    assert!(error.help.unwrap().contains("null"));
    assert_eq!(kind("1 / 0"), FeelErrorKind::DivisionByZero);
    assert_eq!(kind("10 ** 40"), FeelErrorKind::Overflow);
}

#[test]
fn order_across_types_is_an_error() {
    assert_eq!(kind("\"1\" < 2"), FeelErrorKind::Type);
    assert_eq!(kind("@\"2024-01-01\" < @\"2024-01-01T00:00:00\""), FeelErrorKind::Type);
    assert_eq!(kind("\"x\" in [1..5]"), FeelErrorKind::Type);
}

#[test]
fn conditions_must_be_boolean_or_null() {
    for source in ["if 1 then 2 else 3", "true and 1", "[1][\"x\"]", "some x in [1] satisfies x", "not(1)"] {
        assert_eq!(kind(source), FeelErrorKind::Type, "{source}");
    }
}

#[test]
fn an_unknown_function_suggests_the_nearest_when_parsed() {
    let error = parse("uper case(\"x\")").unwrap_err();
    assert_eq!(error.kind, FeelErrorKind::UnknownFunction);
    assert_eq!(error.span, 0..9);
    assert_eq!(error.help.unwrap(), "did you mean `upper case`?");
}

#[test]
fn arguments_are_checked_when_parsed() {
    for source in [
        "count()",
        "count(1, 2)",
        "substring(text: \"a\", start position: 1)",
        "date(2024, 1)",
        "substring(\"a\", length: 1)",
    ] {
        assert_eq!(parse(source).unwrap_err().kind, FeelErrorKind::Arguments, "{source}");
    }
}

#[test]
fn syntax_errors_say_what_was_expected() {
    for (source, message) in [
        ("", "expected a value, found the end of the expression"),
        ("1 +", "expected a value, found the end of the expression"),
        ("(1", "expected `)`, found the end of the expression"),
        ("if a then b", "expected `else`, found the end of the expression"),
        ("a b", "expected an operator or the end, found `b`"),
        ("a == b", "expected a value, found `=`"),
        ("{a 1}", "expected a key and `:`, found `a`"),
        ("{a: 1, a: 2}", "the key `a` appears twice"),
        ("@\"2024-13-01\"", "\"2024-13-01\" is not a date, time or duration"),
    ] {
        assert_eq!(parse(source).unwrap_err().message, message, "{source}");
    }
}

#[test]
fn the_present_comes_from_the_environment() {
    assert_eq!(run("string(now())").unwrap().to_string(), "2024-02-01T00:30:00+01:00");
    assert_eq!(run("today()").unwrap().to_string(), "2024-02-01");
    assert_eq!(run("uuid()").unwrap().to_string(), "01234567-89ab-4def-8123-456789abcdef");
    assert_eq!(run("now() > @\"2024-02-01T00:00:00\"").unwrap(), Value::Bool(true));
}

#[test]
fn runaway_work_runs_out_of_fuel() {
    assert_eq!(kind("some a in 1..1000, b in 1..1000, c in 1..1000 satisfies false"), FeelErrorKind::OutOfFuel);
    let context = Value::context([("xs", Value::list([Value::from(1)]))]);
    assert_eq!(run_in("xs[item = 1]", &context, 2).unwrap_err().kind, FeelErrorKind::OutOfFuel);
}

#[test]
fn fuel_is_taken_from_the_environment() {
    let mut random = || 0;
    let mut env = Env::new("2024-01-01T00:00:00Z".parse().unwrap(), TimeZone::UTC, &mut random);
    eval(&parse("1 + 2").unwrap(), &Scope::empty(), &mut env).unwrap();
    assert_eq!(env.fuel, DEFAULT_FUEL - 3);
}

#[test]
fn deep_nesting_is_refused_without_touching_the_stack() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a: ", "}"),
        ("-", ""),
        ("not(", ")"),
        ("if true then ", " else 1"),
        ("function(x) ", ""),
    ] {
        let source = format!("{}1{}", open.repeat(2000), close.repeat(2000));
        assert_eq!(parse(&source).unwrap_err().kind, FeelErrorKind::TooDeep, "{open}");
    }
    let recursion = "(function(f, n) f(f, n + 1))(function(f, n) f(f, n + 1), 0)";
    assert_eq!(kind(recursion), FeelErrorKind::TooDeep);
}

#[test]
fn the_deepest_evaluation_fits_a_small_stack() {
    const STACK_BYTES: usize = 1024 * 1024;
    let deepest = || {
        for (open, close) in
            [("(", ")"), ("[", "]"), ("if true then ", " else 1"), ("for x in [1] return ", ""), ("string(", ")")]
        {
            assert!(run(&format!("{}1{}", open.repeat(62), close.repeat(62))).is_ok(), "{open}");
        }
        for body in
            ["sort([1, 2], function(a, b) f(f))", "[1][some x in [1] satisfies f(f)]", "for x in [1] return f(f)"]
        {
            assert_eq!(kind(&format!("(function(f) {body})(function(f) {body})")), FeelErrorKind::TooDeep, "{body}");
        }
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(deepest).unwrap().join().unwrap();
}

#[test]
fn a_long_flat_expression_is_not_deep() {
    let source = vec!["1"; 5000].join(" + ");
    assert_eq!(run(&source), Ok(Value::from(5000)));
    let source = vec!["x = 1"; 2000].join(" or ");
    assert_eq!(run(&source), Ok(Value::Bool(false)));
}

#[test]
fn values_that_would_explode_are_refused() {
    assert_eq!(kind("for i in 1..40 return [partial, partial]"), FeelErrorKind::TooLarge);
    assert_eq!(kind("for i in 1..1000 return if i = 1 then [] else [partial[-1]]"), FeelErrorKind::TooLarge);
    assert_eq!(kind("for i in 1..1000 return (function(f) function(x) f)(partial[-1])"), FeelErrorKind::TooLarge);
    let doubling = "(for i in 1..40 return if i = 1 then \"xxxxxxxx\" else partial[-1] + partial[-1])[-1]";
    assert_eq!(kind(doubling), FeelErrorKind::TooLarge);
    assert_eq!(kind("for i in 1..1000000000 return i"), FeelErrorKind::TooLarge);
    assert_eq!(parse(&"x".repeat(MAX_SOURCE_BYTES + 1)).unwrap_err().kind, FeelErrorKind::TooLarge);
}

#[test]
fn a_bad_pattern_is_an_error() {
    assert_eq!(kind("matches(\"a\", \"(\")"), FeelErrorKind::Pattern);
    assert_eq!(kind("matches(\"a\", \"a\", \"q\")"), FeelErrorKind::Pattern);
    assert_eq!(kind("matches(\"a\", \"((a{500}){500}){500}\")"), FeelErrorKind::Pattern);
}

#[test]
fn a_function_that_contradicts_itself_still_sorts() {
    let value = run("count(sort([3, 1, 2, 5, 4], function(a, b) true))").unwrap();
    assert_eq!(value, Value::from(5));
}

#[test]
fn unary_tests_hold_or_not() {
    let mut random = || 0;
    let mut env = Env::new("2024-01-01T00:00:00Z".parse().unwrap(), TimeZone::UTC, &mut random);
    let limit = Value::context([("limit", Value::from(5))]);
    for (tests, input, holds) in [
        ("-", Value::Null, true),
        ("< 10", Value::from(5), true),
        ("< 10", Value::Null, false),
        ("[1..5]", Value::from(5), true),
        ("(1..5)", Value::from(5), false),
        ("\"a\", \"b\"", Value::from("b"), true),
        ("not(\"a\", \"b\")", Value::from("b"), false),
        ("not(\"a\", \"b\")", Value::from("c"), true),
        ("<= limit", Value::from(5), true),
        ("? > 3 and ? < 10", Value::from(5), true),
        ("not(? > 3) or ? = 5", Value::from(5), true),
        ("true", Value::from(true), true),
        ("false", Value::from(false), true),
        ("-1", Value::from(-1), true),
        ("[1, 2, 3]", Value::from(2), true),
        ("null", Value::Null, true),
    ] {
        let expr = parse_unary_tests(tests).unwrap();
        assert_eq!(eval_unary_tests(&expr, &input, &Scope::new(&limit), &mut env), Ok(holds), "{tests} {input}");
    }
}

#[test]
fn the_input_of_unary_tests_is_no_free_path() {
    assert_eq!(parse_unary_tests("? > limit").unwrap().paths(), [["limit"]]);
}

#[test]
fn every_function_is_on_the_reference_page() {
    let page = include_str!("../../../../docs/reference/feel.md");
    for name in builtins::names().chain(["is defined"]) {
        assert!(page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}(")), "{name} is missing");
    }
}
