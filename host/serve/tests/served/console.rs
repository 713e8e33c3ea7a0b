//! The console's page: what is served without a token, and what a browser lets it do.

use std::fs;
use std::path::Path;

use http::{Method, StatusCode};

use crate::client::{Answer, Client};
use crate::world::World;

const PARTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/console");

async fn get(client: &Client, path: &str) -> Answer {
    client.at(path).send(Method::GET, "").await
}

/// The files of the page, by the paths that they are served under.
fn files() -> Vec<(String, String)> {
    let files = fs::read_dir(PARTS).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|file| file.extension().is_none_or(|kind| kind != "rs"));
    files
        .map(|file| {
            let path = match file.file_name().unwrap().to_str().unwrap() {
                "page.html" => "/".to_owned(),
                name => format!("/console/{name}"),
            };
            (path, fs::read_to_string(file).unwrap())
        })
        .collect()
}

#[tokio::test]
async fn every_file_of_the_page_is_served_without_a_token_and_may_do_little() {
    let served = World::new().serve().await;
    let stranger = Client::new(served.address, None);
    for (path, text) in files() {
        let mut answer = get(&stranger, &path).await;
        assert_eq!((answer.status, answer.text().await), (StatusCode::OK, text), "{path}");
        let kind = match Path::new(&path).extension().and_then(|kind| kind.to_str()) {
            None => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/javascript; charset=utf-8",
        };
        for (name, value) in [
            ("content-type", kind),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-cache"),
        ] {
            assert_eq!(answer.headers[name], value, "{path}");
        }
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        for directive in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "img-src 'self' data: blob:",
            "media-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.split("; ").any(|said| said == directive), "{directive} in {policy}");
        }
    }
}

#[tokio::test]
async fn the_page_is_behind_the_checks_of_host_and_origin() {
    let served = World::new().serve().await;
    let stranger = Client::new(served.address, None);
    for (path, _) in files() {
        for (name, value) in [("host", "evil.example"), ("origin", "https://evil.example")] {
            let answer = get(&stranger.with(name, value), &path).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {name}");
        }
        let posted = stranger.at(&path).send(Method::POST, "x").await;
        assert_eq!(posted.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
    for path in ["/console", "/console/", "/console/mod.rs", "/console/page.html", "/console/%2e%2e/main.js", "//"] {
        assert_eq!(get(&stranger, path).await.status, StatusCode::UNAUTHORIZED, "{path}");
        assert_eq!(get(&served.client(), path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn a_browser_that_knows_a_file_is_not_sent_it_again() {
    let served = World::new().serve().await;
    let stranger = Client::new(served.address, None);
    let tag = get(&stranger, "/").await.headers["etag"].to_str().unwrap().to_owned();
    for (known, status) in [
        (tag.clone(), StatusCode::NOT_MODIFIED),
        (format!("\"other\", W/{tag}"), StatusCode::NOT_MODIFIED),
        ("\"other\"".to_owned(), StatusCode::OK),
    ] {
        let mut answer = get(&stranger.with("if-none-match", &known), "/").await;
        assert_eq!(answer.status, status, "{known}");
        assert_eq!(answer.headers["etag"], tag.as_str());
        assert!(answer.headers.contains_key("content-security-policy"));
        assert_eq!(answer.text().await.is_empty(), status == StatusCode::NOT_MODIFIED);
    }
}

/// What comes from outside is text: nothing in the page turns text into markup or code, and nothing comes from elsewhere.
#[test]
fn the_page_makes_no_markup_of_text_and_needs_nothing_from_elsewhere() {
    let forbidden = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "createContextualFragment",
        "DOMParser",
        "srcdoc",
        "eval(",
        "new Function",
        "javascript:",
        "import(",
        "localStorage",
        "document.cookie",
        "style=",
        "onclick=\"",
    ];
    for (path, text) in files() {
        for word in forbidden {
            assert!(!text.contains(word), "{path} has {word}");
        }
        // The one exception names a language, not a place.
        let elsewhere: Vec<&str> =
            text.lines().filter(|line| line.contains("://") && !line.contains("xmlns=")).collect();
        assert_eq!(elsewhere, [""; 0], "{path} names other places");
    }
}
