use proptest::prelude::*;

use super::*;

fn http(text: &str) -> HttpPattern {
    text.parse().unwrap()
}

#[test]
fn http_destinations_are_canonical() {
    for (text, canonical) in [
        ("https://api.exa.ai", "https://api.exa.ai"),
        ("https://API.Exa.AI:443", "https://api.exa.ai"),
        ("http://localhost:8080 get", ""),
        ("http://localhost:8080 POST,GET", "http://localhost:8080 GET,POST"),
        ("https://*.example.com:8443  GET", "https://*.example.com:8443 GET"),
        ("https://münchen.de", "https://xn--mnchen-3ya.de"),
        ("http://0x7f.1", "http://127.0.0.1"),
        ("http://[0:0::1]:80", "http://[::1]"),
    ] {
        match text.parse::<HttpPattern>() {
            Ok(pattern) => assert_eq!(pattern.to_string(), canonical, "{text}"),
            Err(_) => assert_eq!(canonical, "", "{text}"),
        }
    }
    for text in [
        "",
        "example.com",
        "ftp://example.com",
        "https://",
        "https:///",
        "https://a@b",
        "https://a/b",
        "https://a?b",
        "https://a#b",
        "https://*",
        "https://*.com",
        "https://*.*.example.com",
        "https://a.*.com",
        "https://*.1.2.3.4",
        "https://a:0",
        "https://a:99999",
        "https://a.",
        "https://a%2eb",
        "https://a\\b",
        "https://a CONNECT",
        "https://a TRACE",
        "https://a GET,",
        "https://a\u{0}b",
    ] {
        assert!(text.parse::<HttpPattern>().is_err(), "{text:?}");
    }
}

#[test]
fn http_destinations_cover_what_they_say() {
    let wild = http("https://*.example.com GET");
    assert!(wild.covers(Scheme::Https, "a.example.com", 443, "GET"));
    for (scheme, host, port, method) in [
        (Scheme::Http, "a.example.com", 443, "GET"),
        (Scheme::Https, "a.example.com", 444, "GET"),
        (Scheme::Https, "a.example.com", 443, "POST"),
        (Scheme::Https, "example.com", 443, "GET"),
        (Scheme::Https, ".example.com", 443, "GET"),
        (Scheme::Https, "a.b.example.com", 443, "GET"),
        (Scheme::Https, "badexample.com", 443, "GET"),
        (Scheme::Https, "a.example.com.evil.net", 443, "GET"),
    ] {
        assert!(!wild.covers(scheme, host, port, method), "{host}:{port} {method}");
    }
    let any = http("http://127.0.0.1:9222");
    assert!(any.covers(Scheme::Http, "127.0.0.1", 9222, "DELETE"));
    assert!(!any.covers(Scheme::Http, "127.0.0.1", 9222, "CONNECT"));
}

#[test]
fn sizes_and_spans() {
    for (text, bytes) in [("0", 0), ("4096", 4096), ("64 KiB", 64 << 10), ("16MiB", 16 << 20), ("2 GiB", 2 << 30)] {
        assert_eq!(text.parse(), Ok(ByteSize(bytes)), "{text}");
    }
    for text in ["", "KiB", "-1", "+1", "1.5 MiB", "1 kB", "1 TiB", "99999999999 GiB"] {
        assert!(text.parse::<ByteSize>().is_err(), "{text:?}");
    }
    for (text, millis) in [("500ms", 500), ("30s", 30_000), ("10 m", 600_000), ("1440m", 86_400_000)] {
        assert_eq!(text.parse::<Span>().unwrap().0.as_millis(), millis, "{text}");
    }
    for text in ["", "0s", "5", "-1s", "+1s", "1h", "1441m", "99999999999999999999s"] {
        assert!(text.parse::<Span>().is_err(), "{text:?}");
    }
}

#[test]
fn names_and_folders() {
    for name in ["A", "_x9", "HTTP_PROXY"] {
        assert_eq!(name.parse::<EnvName>().unwrap().as_str(), name);
    }
    let long = "A".repeat(129);
    for name in ["", "1A", "A-B", "A=B", "A B", "Ä", "A\0", long.as_str()] {
        assert!(name.parse::<EnvName>().is_err(), "{name:?}");
    }
    let root = |text: &str| GuestRoot::try_from(text.to_owned());
    assert_eq!(root("${workspace}"), Ok(GuestRoot::Workspace));
    for text in ["", "a", "./a", "${workspace}/a", "${home}"] {
        assert!(root(text).is_err(), "{text:?}");
    }
    #[cfg(unix)]
    {
        assert_eq!(root("/data/in"), Ok(GuestRoot::Host("/data/in".into())));
        for text in ["/a/../b", "/a/./b", "/a/..", "/.", "/a\0b", "/a\nb", "/a\tb", "/a\u{202e}b", "/a\u{85}b"] {
            assert!(root(text).is_err(), "{text:?}");
        }
    }
}

#[test]
fn a_set_of_capabilities_is_read_strictly_and_written_back() {
    let text = r#"{"fs":[{"path":"${workspace}","mode":"rw","quota":"2 GiB"}],"http":["https://*.example.com:8443 GET,POST"],"env":["LANG"],"secrets":{"KEY":{}},"limits":{"wall":"1m","memory":"64 MiB"}}"#;
    let set: Capabilities = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&set).unwrap(), text);
    assert!(!set.is_empty() && Capabilities::default().is_empty());
    assert_eq!(serde_json::to_string(&Capabilities::default()).unwrap(), "{}");
    for text in
        [r#"{"process":{}}"#, r#"{"limits":{"walls":"1s"}}"#, r#"{"fs":[{"path":"${workspace}","mode":"rwx"}]}"#]
    {
        assert!(serde_json::from_str::<Capabilities>(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn whatever_is_read_is_written_as_itself(text in "(http|https)://(\\*\\.)?[a-z0-9.:\\[\\]-]{1,20}( [A-Z,]{0,12})?") {
        if let Ok(pattern) = text.parse::<HttpPattern>() {
            prop_assert_eq!(pattern.to_string().parse::<HttpPattern>(), Ok(pattern));
        }
    }

    #[test]
    fn sizes_and_spans_are_written_as_themselves(bytes: u64, millis in 1_u64..86_400_000) {
        prop_assert_eq!(ByteSize(bytes).to_string().parse(), Ok(ByteSize(bytes)));
        let span = Span(std::time::Duration::from_millis(millis));
        prop_assert_eq!(span.to_string().parse(), Ok(span));
    }
}
