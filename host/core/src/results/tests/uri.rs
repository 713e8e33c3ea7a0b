use proptest::prelude::*;

use super::super::*;

#[test]
fn addresses() {
    let id = "0123456789abcdef0123456789abcdef";
    for (query, range) in [
        ("", Range::Whole),
        ("?offset=5", Range::Bytes { offset: 5, limit: None }),
        ("?offset=5&limit=6", Range::Bytes { offset: 5, limit: Some(6) }),
        ("?line=2&lines=3", Range::Lines { line: 2, lines: 3 }),
    ] {
        let uri: ResultUri = format!("hermes://results/{id}{query}").parse().unwrap();
        assert_eq!((uri.id.to_string().as_str(), uri.range), (id, range));
        assert_eq!(uri.to_string(), format!("hermes://results/{id}{query}"));
    }
    let of = |text: String| text.parse::<ResultUri>();
    assert_eq!(of(format!("hermes://results/{id}?limit=6")).unwrap().range, Range::Bytes { offset: 0, limit: Some(6) });
    assert_eq!(of(format!("hermes://results/{id}?line=6")).unwrap().range, Range::Lines { line: 6, lines: 500 });
    for (uri, error) in [
        (format!("https://results/{id}"), UriError::Other),
        ("hermes://results/".into(), UriError::Id),
        ("hermes://results/..".into(), UriError::Id),
        (format!("hermes://results/{id}/.."), UriError::Id),
        (format!("hermes://results/{}", id.to_uppercase()), UriError::Id),
        (format!("hermes://results/{}", id.replacen('0', "+", 1)), UriError::Id),
        (format!("hermes://results/{id}?"), UriError::Parameter(String::new())),
        (format!("hermes://results/{id}?page=1"), UriError::Parameter("page".into())),
        (format!("hermes://results/{id}?line=1&line=2"), UriError::Parameter("line".into())),
        (format!("hermes://results/{id}?line=1&limit=2"), UriError::Parameter("line".into())),
        (format!("hermes://results/{id}?offset=1&lines=2"), UriError::Parameter("lines".into())),
        (format!("hermes://results/{id}?line=-1"), UriError::Number("line".into())),
        (format!("hermes://results/{id}?offset=99999999999999999999"), UriError::Number("offset".into())),
    ] {
        assert_eq!(of(uri.clone()).unwrap_err(), error, "{uri}");
    }
}

proptest! {
    #[test]
    fn no_id_is_a_path(text in "[./\\\\a-f0-9%\u{0}]{0,40}") {
        if let Ok(id) = text.parse::<ResultId>() {
            prop_assert!(text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()));
            prop_assert_eq!(id.to_string(), text.clone());
        }
        let _ = format!("hermes://results/{text}").parse::<ResultUri>();
    }
}
