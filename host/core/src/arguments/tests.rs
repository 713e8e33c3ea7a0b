use hermes_manifest::Schema;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Arguments, Compat};

fn arguments(schema: Value) -> Arguments {
    Arguments::new(&Schema::arguments(schema).unwrap())
}

/// The argument `a`, declared by `property`, after coercion.
fn coerced(property: &Value, value: &Value, compat: Compat) -> Value {
    let arguments = arguments(json!({"type": "object", "properties": {"a": property}}));
    let Value::Object(members) = json!({"a": value}) else { unreachable!() };
    arguments.coerce(members, compat).unwrap().remove("a").unwrap()
}

/// `path: message` of each issue of reading `text`.
fn wrong(schema: Value, text: &str) -> Vec<String> {
    let issues = arguments(schema).read(text, Compat::Exact).expect_err(text);
    issues.into_iter().map(|issue| format!("{}: {}", issue.path, issue.message)).collect()
}

#[test]
fn each_mode_coerces_as_its_table_says() {
    let integer = json!({"type": "integer"});
    let number = json!({"type": "number"});
    let boolean = json!({"type": "boolean"});
    let string = json!({"type": "string"});
    let list = json!({"type": "array"});
    let object = json!({"type": "object"});
    let either = json!({"type": ["integer", "string"]});
    let nullable = json!({"type": ["string", "null"]});
    let marked = json!({"type": "array", "nullable": true});
    let union = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    let list_or_null = json!({"anyOf": [{"type": "array"}, {"type": "null"}]});
    let nested = json!({"type": "object", "properties": {"x": {"type": "array"}}});
    let rows = json!({"type": "array", "items": {
        "type": "object", "properties": {"k": {"type": "integer"}, "l": {"type": "array"}}}});
    let choice = json!({"type": "string", "enum": ["a", "b"]});
    let same = |value: Value| (value.clone(), value);
    let both = |value: Value| (value.clone(), value);
    let table = [
        (&integer, json!("42"), both(json!(42))),
        (&integer, json!(" 42 "), both(json!(42))),
        (&integer, json!("-7"), both(json!(-7))),
        (&integer, json!("42.0"), both(json!(42))),
        (&integer, json!("1e5"), both(json!(100_000))),
        (&integer, json!("1_000"), (json!(1000), json!("1_000"))),
        (&integer, json!("９"), (json!(9), json!("９"))),
        (&integer, json!("42.5"), same(json!("42.5"))),
        (&integer, json!("0x10"), same(json!("0x10"))),
        (&integer, json!(""), same(json!(""))),
        (&integer, json!("inf"), same(json!("inf"))),
        (&integer, json!("nan"), same(json!("nan"))),
        (&integer, json!("true"), same(json!("true"))),
        (&integer, json!(7.0), same(json!(7.0))),
        (&integer, json!(true), same(json!(true))),
        (&integer, json!(null), same(json!(null))),
        (&integer, json!("9007199254740993"), (json!(9_007_199_254_740_992_i64), json!(9_007_199_254_740_993_i64))),
        (
            &integer,
            json!("12345678901234567890"),
            (json!(12_345_678_901_234_567_168_u64), json!(12_345_678_901_234_567_890_u64)),
        ),
        (&integer, json!("123456789012345678901"), (json!(1.234_567_890_123_456_8e20), json!("123456789012345678901"))),
        (&number, json!("3.15"), both(json!(3.15))),
        (&number, json!("3.0"), both(json!(3))),
        (&number, json!("-0"), both(json!(0))),
        (&number, json!("1e400"), same(json!("1e400"))),
        (&number, json!("1e-400"), (json!(0), json!("1e-400"))),
        (&number, json!("0.10000000000000000001"), (json!(0.1), json!("0.10000000000000000001"))),
        (&boolean, json!("true"), both(json!(true))),
        (&boolean, json!("True"), both(json!(true))),
        (&boolean, json!(" FALSE "), both(json!(false))),
        (&boolean, json!("1"), same(json!("1"))),
        (&boolean, json!("0"), same(json!("0"))),
        (&boolean, json!("yes"), same(json!("yes"))),
        (&boolean, json!(1), same(json!(1))),
        (&string, json!(5), same(json!(5))),
        (&string, json!(true), same(json!(true))),
        (&string, json!(null), same(json!(null))),
        (&string, json!("[1]"), same(json!("[1]"))),
        (&list, json!("[\"a\",\"b\"]"), both(json!(["a", "b"]))),
        (&list, json!("a"), both(json!(["a"]))),
        (&list, json!("[bad"), both(json!(["[bad"]))),
        (&list, json!("{\"a\":1}"), both(json!(["{\"a\":1}"]))),
        (&list, json!(5), both(json!([5]))),
        (&list, json!({"x": 1}), both(json!([{"x": 1}]))),
        (&list, json!(null), same(json!(null))),
        (&list, json!("null"), both(json!(["null"]))),
        (&marked, json!("null"), (json!(null), json!(["null"]))),
        (&nested, json!("{\"x\":\"[1]\"}"), both(json!({"x": [1]}))),
        (&object, json!("[1]"), same(json!("[1]"))),
        (&object, json!(""), same(json!(""))),
        (
            &rows,
            json!(["{\"k\":\"3\",\"l\":\"[\\\"z\\\"]\"}"]),
            (json!([{"k": "3", "l": ["z"]}]), json!([{"k": 3, "l": ["z"]}])),
        ),
        (&either, json!("7"), (json!(7), json!("7"))),
        (&either, json!("abc"), same(json!("abc"))),
        (&nullable, json!("null"), (json!(null), json!("null"))),
        (&nullable, json!("NULL"), (json!(null), json!("NULL"))),
        (&union, json!("null"), both(json!(null))),
        (&union, json!("5"), (json!("5"), json!(5))),
        (&list_or_null, json!("[1]"), (json!("[1]"), json!([1]))),
        (&choice, json!("A"), same(json!("A"))),
    ];
    for (property, given, (hermes, exact)) in table {
        for (compat, expected) in [(Compat::Hermes, hermes), (Compat::Exact, exact)] {
            let found = coerced(property, &given, compat);
            assert_eq!(found.to_string(), expected.to_string(), "{compat:?}: {given} for {property}");
        }
    }
}

#[test]
fn unknown_arguments_and_those_without_a_type_stay() {
    let schema = json!({"type": "object", "properties": {"a": {}}});
    let given: Map<String, Value> = serde_json::from_str(r#"{"a":"1","b":"2"}"#).unwrap();
    for compat in [Compat::Hermes, Compat::Exact] {
        assert_eq!(arguments(schema.clone()).coerce(given.clone(), compat).unwrap(), given);
    }
}

#[test]
fn exact_coercion_follows_the_schema() {
    let day = json!({"anyOf": [{"type": "integer"}, {"enum": ["today"]}]});
    let schema = json!({
        "type": "object",
        "properties": {
            "deep": {"type": "object", "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/count"}}},
            "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "boolean"}], "items": {"type": "number"}},
            "day": day,
            "a/b~c": day,
            "all": {"allOf": [{"type": "integer"}, {"minimum": 1}]},
            "unclear": {"anyOf": [
                {"properties": {"x": {"type": "integer"}, "y": {"type": "string"}}},
                {"properties": {"x": {"type": "string"}, "y": {"type": "integer"}}}]},
            "shape": {"oneOf": [
                {"type": "object", "properties": {"kind": {"const": "box"}, "side": {"type": "integer"}}, "required": ["kind", "side"]},
                {"type": "object", "properties": {"kind": {"const": "ball"}, "r": {"type": "number"}}, "required": ["kind", "r"]}]},
        },
        "$defs": {"count": {"type": "integer"}},
    });
    let table = [
        (json!({"deep": {"x": ["1", "2"]}}), json!({"deep": {"x": [1, 2]}})),
        (json!({"deep": "{\"x\":\"[\\\"1\\\"]\"}"}), json!({"deep": {"x": [1]}})),
        (json!({"pair": ["1", "true", "0.5"]}), json!({"pair": [1, true, 0.5]})),
        (json!({"day": "today"}), json!({"day": "today"})),
        (json!({"day": "3"}), json!({"day": 3})),
        (json!({"a/b~c": "3"}), json!({"a/b~c": 3})),
        (json!({"day": "tomorrow"}), json!({"day": "tomorrow"})),
        (json!({"all": "3"}), json!({"all": 3})),
        (json!({"unclear": {"x": "1", "y": "2"}}), json!({"unclear": {"x": "1", "y": "2"}})),
        (json!({"shape": {"kind": "box", "side": "3"}}), json!({"shape": {"kind": "box", "side": 3}})),
        (json!({"shape": "{\"kind\":\"ball\",\"r\":\"1.5\"}"}), json!({"shape": {"kind": "ball", "r": 1.5}})),
    ];
    for (given, expected) in table {
        let Value::Object(members) = given.clone() else { unreachable!() };
        let found = arguments(schema.clone()).coerce(members, Compat::Exact).unwrap();
        assert_eq!(Value::Object(found), expected, "{given}");
    }
}

#[test]
fn text_that_is_no_object_of_arguments_is_refused_with_its_position() {
    let schema = json!({"type": "object"});
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let table = [
        ("[]", "expected a JSON object of arguments, got an array of 0 items"),
        ("null", "expected a JSON object of arguments, got null"),
        ("\"{}\"", "expected a JSON object of arguments, got \"{}\""),
        ("{\"a\":1,\"a\":2}", "the key \"a\" stands twice in one object at line 1 column"),
        ("{\"a\":{\"b\":1,\"b\":1}}", "the key \"b\" stands twice"),
        ("{\"a\":\n 1,}", "at line 2 column 4"),
        ("", "EOF while parsing a value at line 1 column 0"),
        ("{} {}", "trailing characters at line 1 column 4"),
        ("{\"a\":1e400}", "number out of range"),
        (&deep, "recursion limit exceeded"),
    ];
    for (text, expected) in table {
        let found = wrong(schema.clone(), text);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains(expected), "{:.40}: {found:?}", text);
    }
}

#[test]
fn issues_say_where_and_what_was_expected() {
    let schema = json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "units": {"enum": ["metric", "imperial"]},
            "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "maxItems": 2},
            "place": {"$ref": "#/$defs/place"},
            "when": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "shape": {"oneOf": [{"type": "array"}, {
                "type": "object", "properties": {"side": {"type": "integer"}}, "additionalProperties": false}]},
            "never": false,
        },
        "additionalProperties": false,
        "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
                            "additionalProperties": false}},
    });
    let table: [(&str, &[&str]); 15] = [
        (r#"{"count":"abc"}"#, &[r#"/count: expected an integer, got "abc""#]),
        (r#"{"count":"123456789012345678901"}"#, &[r#"/count: expected an integer, got "123456789012345678901""#]),
        (r#"{"count":"0"}"#, &["/count: expected at least 1, got 0"]),
        (r#"{"count":10}"#, &["/count: expected at most 9, got 10"]),
        (r#"{"units":"metrisch"}"#, &[r#"/units: "metrisch" is not one of metric, imperial"#]),
        (r#"{"name":"A B"}"#, &[r#"/name: expected text that matches `^[a-z]+$`, got "A B""#]),
        (r#"{"tags":["a","a"]}"#, &["/tags: the items must differ from each other"]),
        (
            r#"{"tags":[1,"a","b"]}"#,
            &["/tags: expected at most 2 items, got an array of 3 items", "/tags/0: expected a string, got 1"],
        ),
        (r#"{"place":{}}"#, &["/place: the required property `city` is missing"]),
        (r#"{"place":{"city":"x","cty":1}}"#, &[r#"/place/cty: there is no property "cty"; did you mean `city`?"#]),
        (r#"{"cuont":1}"#, &[r#"/cuont: there is no property "cuont"; did you mean `count`?"#]),
        (r#"{"when":"x"}"#, &[r#"/when: fits none of the alternatives: an integer, or null; got "x""#]),
        (r#"{"shape":{"side":"x"}}"#, &[r#"/shape/side: expected an integer, got "x""#]),
        (r#"{"never":1}"#, &["/never: must not be given"]),
        (
            r#"{"units":1,"count":null,"zzzzzzzzz":{}}"#,
            &[
                "/units: 1 is not one of metric, imperial",
                "/count: expected an integer, got null",
                r#"/zzzzzzzzz: there is no property "zzzzzzzzz": expected count, units, name, tags, place, when, shape, never"#,
            ],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(wrong(schema.clone(), text), expected, "{text}");
    }
}

#[test]
fn issues_are_few_short_and_show_nothing_hidden() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}},
        "additionalProperties": false});
    let hostile = format!("\u{1b}[2J\u{202e}\u{e0041}{}", "x".repeat(100_000));
    let text = json!({"a": vec![&hostile; 100], &hostile: 1}).to_string();
    let issues = arguments(schema).read(&text, Compat::Exact).unwrap_err();
    assert_eq!(issues.len(), 16);
    for issue in &issues {
        assert!(issue.message.chars().count() <= 301 && issue.path.chars().count() <= 301, "{issue:?}");
        assert!(!issue.message.chars().chain(issue.path.chars()).any(hermes_manifest::is_hidden), "{issue:?}");
    }
    assert_eq!(issues[0].path, "/a/0");
}

#[test]
fn of_very_many_errors_only_the_first_is_made() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}});
    let text = |items: usize| json!({"a": vec!["x"; items]}).to_string();
    assert_eq!(wrong(schema.clone(), &text(1_000)).len(), 16);
    assert_eq!(wrong(schema, &text(100_000)), [r#"/a/0: expected an integer, got "x""#]);
}

#[test]
fn results_fit_or_say_why_not() {
    let schema = Schema::output(json!({"type": "array", "items": {"type": "integer"}})).unwrap();
    let output = Arguments::new(&schema);
    assert_eq!(output.fits(&json!([1, 2])), Ok(()));
    assert_eq!(output.fits(&json!({})), Err("expected an array, got an object".to_owned()));
    // A result is never coerced.
    assert_eq!(output.fits(&json!(["1"])), Err("`/0`: expected an integer, got \"1\"".to_owned()));
}

#[test]
fn formats_are_annotations() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "format": "email"}}});
    assert!(arguments(schema).read(r#"{"a":"no"}"#, Compat::Exact).is_ok());
}

#[test]
fn work_beyond_the_bound_is_refused_before_it_is_done() {
    let bomb = |leaf: Value| {
        let mut defs = Map::new();
        for level in 0..9 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            defs.insert(format!("d{level}"), json!({"anyOf": [next.clone(), next]}));
        }
        defs.insert("d9".into(), leaf);
        json!({"type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/d1"}}}, "$defs": defs})
    };
    let nested_brackets = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let distinct: Vec<String> = (0..60)
        .flat_map(|i| (0..60).map(move |j| (i, j)))
        .map(|(i, j)| format!("[{},{}]", nested_brackets(i + 1), nested_brackets(j + 1)))
        .collect();
    let table = [
        (bomb(json!({"type": "boolean"})), format!("{{\"a\":[{}0]}}", "0,".repeat(400_000))),
        (
            json!({"type": "object", "properties": {"a": {"uniqueItems": true}}}),
            format!("{{\"a\":[{}]}}", distinct.join(",")),
        ),
        (
            json!({"type": "object", "properties": {"a": {"pattern": r"(\w\s?){40}$"}}}),
            format!("{{\"a\":\"{}\"}}", "é".repeat(400_000)),
        ),
        (
            json!({"type": "object", "patternProperties": {r"^\w{40}$": {"type": "integer"}}}),
            format!("{{{}\"z\":\"x\"}}", (0..40_000).map(|i| format!("\"{i:020}\":\"x\",")).collect::<String>()),
        ),
    ];
    for (schema, text) in table {
        for compat in [Compat::Exact, Compat::Hermes] {
            let issues = arguments(schema.clone()).read(&text, compat).unwrap_err();
            assert!(issues[0].message.contains("takes too long"), "{:.60}: {issues:?}", schema.to_string());
        }
    }
}

#[test]
fn large_but_ordinary_arguments_are_read() {
    let schema = json!({"type": "object", "properties": {
        "content": {"type": "string", "minLength": 1, "pattern": "\\S"},
        "ids": {"type": "array", "uniqueItems": true, "items": {"type": "integer", "minimum": 0}},
        "names": {"type": "array", "uniqueItems": true, "items": {"type": "string", "pattern": "^[\\w.-]{1,64}$"}},
    }, "additionalProperties": false});
    let arguments = arguments(schema);
    for text in [
        json!({"content": "x".repeat(1 << 20)}),
        json!({"ids": (0..150_000).collect::<Vec<_>>()}),
        json!({"names": (0..1_000).map(|i| format!("name-{i}")).collect::<Vec<_>>()}),
    ] {
        arguments.read(&text.to_string(), Compat::Exact).unwrap();
    }
}

#[test]
fn a_schema_that_would_be_compiled_for_ever_is_refused_at_use() {
    let nested = (0..30).fold(json!({}), |inner, _| json!({"allOf": [inner], "unevaluatedProperties": false}));
    let schema = json!({"type": "object", "allOf": [nested]});
    assert_eq!(
        wrong(schema, "{}"),
        [": the tool's own schema cannot be used: its `unevaluated…` keywords nest too deep"]
    );
}

#[test]
fn the_largest_schemas_that_are_admitted_compile() {
    let wide: Map<String, Value> = (0..990).map(|i| (format!("p{i}"), json!({"type": "integer"}))).collect();
    let all: Map<String, Value> = wide.keys().map(|name| (name.clone(), json!("1"))).collect();
    let read = arguments(json!({"type": "object", "properties": wide})).read_value(all, Compat::Exact).unwrap();
    assert!(read.values().all(|value| *value == json!(1)));
    let mut defs = Map::new();
    for level in 0..9 {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        defs.insert(format!("d{level}"), json!({"anyOf": [next.clone(), next]}));
    }
    defs.insert("d9".into(), json!({"type": "integer"}));
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d1"}}, "$defs": defs});
    assert_eq!(arguments(schema.clone()).read(r#"{"a":1}"#, Compat::Exact).unwrap()["a"], json!(1));
    assert!(!wrong(schema, r#"{"a":"x"}"#).is_empty());
}

#[test]
fn it_can_be_shared_between_threads() {
    let arguments = arguments(json!({"type": "object", "properties": {"a": {"type": "integer"}}}));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(arguments.read(r#"{"a":"1"}"#, Compat::Exact).unwrap()["a"], json!(1)));
        }
    });
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[0-9+-]{0,22}[.e]?[0-9]{0,4}",
        "[ \t]{0,2}(true|FALSE|null|Null|nan|inf|[0-9]{1,3})[ \t]{0,2}",
        r#"\[("?[0-9a]{0,3}"?,?){0,3}\]"#,
        r#"\{"[xy]":"?[0-9]{0,2}"?\}"#,
        ".{0,8}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[xyz]", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec!["null", "boolean", "integer", "number", "string", "array", "object"]);
    let leaf = prop_oneof![
        Just(json!({})),
        kind.clone().prop_map(|kind| json!({"type": kind})),
        prop::collection::hash_set(kind, 1..3).prop_map(|kinds| json!({"type": kinds.into_iter().collect::<Vec<_>>()})),
        Just(json!({"enum": ["1", 1, null]})),
        Just(json!({"type": "integer", "minimum": 5})),
        Just(json!({"$ref": "#/$defs/count"})),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            prop::collection::btree_map("[xyz]", inner.clone(), 1..3)
                .prop_map(|properties| json!({"type": "object", "properties": properties})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"anyOf": all})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"oneOf": all})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"allOf": all})),
            (inner.clone(), inner).prop_map(|(x, y)| json!({"anyOf": [x], "properties": {"x": y}})),
        ]
    })
}

proptest! {
    #[test]
    fn coercion_is_idempotent_and_leaves_what_fits(property in any_schema(), value in any_value()) {
        let arguments = arguments(json!({
            "type": "object", "properties": {"a": property}, "$defs": {"count": {"type": "integer"}}}));
        let given: Map<String, Value> = [("a".to_owned(), value)].into_iter().collect();
        for compat in [Compat::Exact, Compat::Hermes] {
            let once = arguments.coerce(given.clone(), compat).unwrap();
            if compat == Compat::Exact {
                prop_assert_eq!(&arguments.coerce(once.clone(), compat).unwrap(), &once);
                if arguments.fits(&Value::Object(given.clone())).is_ok() {
                    prop_assert_eq!(&once, &given);
                }
            }
            // What was read, fits.
            if let Ok(read) = arguments.read_value(given.clone(), compat) {
                prop_assert!(arguments.fits(&Value::Object(read)).is_ok());
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused_with_issues(text in ".{0,60}|\\{\"a\":.{0,20}\\}") {
        let arguments = arguments(json!({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false}));
        for compat in [Compat::Exact, Compat::Hermes] {
            match arguments.read(&text, compat) {
                Ok(read) => prop_assert!(arguments.fits(&Value::Object(read)).is_ok()),
                Err(issues) => prop_assert!(!issues.is_empty()),
            }
        }
    }

    #[test]
    fn integers_survive_as_text(number in any::<i64>(), large in any::<u64>()) {
        let integer = json!({"type": "integer"});
        prop_assert_eq!(coerced(&integer, &json!(number.to_string()), Compat::Exact), json!(number));
        prop_assert_eq!(coerced(&integer, &json!(large.to_string()), Compat::Exact), json!(large));
    }
}

/// Once `5.0`, which is an integer to the schema, was refused by the tool.
#[test]
fn whole_numbers_reach_tools_without_a_point_where_integers_are_due() {
    let schema = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "x": {"type": "number"},
            "list": {"type": "array", "items": {"$ref": "#/$defs/count"}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "additionalProperties": {"type": ["integer", "string"]},
        "$defs": {"count": {"type": "integer"}},
    });
    let arguments = Arguments::new(&Schema::arguments(schema).unwrap());
    for compat in [Compat::Exact, Compat::Hermes] {
        for (given, expected) in [
            (r#"{"n": 5.0}"#, r#"{"n":5}"#),
            (r#"{"n": -0.0}"#, r#"{"n":0}"#),
            (r#"{"n": 1e3}"#, r#"{"n":1000}"#),
            (r#"{"x": 5.0}"#, r#"{"x":5.0}"#),
            (r#"{"list": [1.0, 2]}"#, r#"{"list":[1,2]}"#),
            (r#"{"either": 7.0}"#, r#"{"either":7}"#),
            (r#"{"more": 7.0}"#, r#"{"more":7}"#),
            (r#"{"n": 1e300}"#, r#"{"n":1e+300}"#),
        ] {
            let read = Value::Object(arguments.read(given, compat).unwrap()).to_string();
            assert_eq!(read, expected, "{compat:?} {given}");
            let parsed = Value::Object(arguments.parse(given, compat).unwrap()).to_string();
            assert_eq!(parsed, expected, "{compat:?} {given}");
        }
    }
}
