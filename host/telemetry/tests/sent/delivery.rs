//! The way to the collector.

use std::net::TcpListener;
use std::sync::Arc;

use rcgen::{CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::receiver::{Answer, Receiver, texts};
use crate::world::World;

fn ids(receiver: &Receiver, number: usize) -> Vec<String> {
    receiver.spans(number).iter().map(|span| texts(&span.attributes)["gen_ai.tool.call.id"].clone()).collect()
}

#[test]
fn a_request_is_for_this_collector_and_holds_what_it_expects() {
    let receiver = Receiver::start(&[]);
    let world = World::new(&format!("http://a%40b:c%3Ad@{}/otlp/", receiver.address));
    world.call("1");
    world.end();
    assert_eq!(ids(&receiver, 1), ["1"]);
    let head = receiver.now(|seen| seen.heads[0].clone());
    assert!(head.starts_with("POST /otlp/v1/traces HTTP/1.1\r\n"), "{head}");
    for line in [
        &format!("host: {}", receiver.address),
        "content-type: application/x-protobuf",
        "authorization: basic yubiomm6za==",
        "user-agent: hermes-host/1.2.3",
    ] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line}: {head}");
    }
}

#[test]
fn a_collector_that_is_busy_is_asked_again_and_one_that_refuses_is_not() {
    let busy = || Answer::Status("503 Service Unavailable\r\nRetry-After: 0".to_owned());
    let late = || Answer::Status("429 Too Many Requests\r\nRetry-After: 3600".to_owned());
    let wrong = || Answer::Status("400 Bad Request".to_owned());
    for (answers, requests, arrives) in [
        (vec![busy(), busy()], 3, true),
        (vec![wrong()], 1, false),
        (vec![late()], 1, false),
        (vec![Answer::Status("200 OK".to_owned())], 1, false),
        (vec![Answer::Refuses(1)], 1, true),
    ] {
        let receiver = Receiver::start(&answers);
        let world = World::new(&format!("http://{}", receiver.address));
        world.call("1");
        world.end();
        receiver.now(|seen| assert_eq!((seen.heads.len(), seen.spans.len()), (requests, usize::from(arrives))));
    }
}

#[test]
fn nothing_is_sent_to_where_a_collector_points() {
    let elsewhere = Receiver::start(&[]);
    for status in ["301 Moved Permanently", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let moved = format!("{status}\r\nLocation: http://{}/v1/traces", elsewhere.address);
        let receiver = Receiver::start(&[Answer::Status(moved)]);
        let world = World::new(&format!("http://user:hunter2@{}", receiver.address));
        world.call("1");
        world.end();
        receiver.now(|seen| assert_eq!(seen.heads.len(), 1, "{status}"));
    }
    elsewhere.now(|seen| assert!(seen.heads.is_empty()));
}

#[test]
fn a_collector_that_hangs_or_is_not_there_holds_nobody_up() {
    let hanging = Receiver::start(&[Answer::Never]);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [hanging.address, closed] {
        let world = World::new(&format!("http://{address}"));
        // More than wait to be sent.
        for number in 0..10_000 {
            world.call(&number.to_string());
        }
        if address == hanging.address {
            hanging.until(|seen| !seen.heads.is_empty(), |_| ());
        }
        world.give_up();
    }
}

#[test]
fn many_spans_go_in_few_requests() {
    let receiver = Receiver::start(&[]);
    let world = World::new(&format!("http://{}", receiver.address));
    for number in 0..1_500 {
        world.call(&number.to_string());
    }
    world.end();
    assert_eq!(ids(&receiver, 1_500).len(), 1_500);
    let requests = receiver.now(|seen| seen.heads.len());
    assert!(requests < 100, "{requests}");
}

#[test]
fn over_tls_only_a_certificate_that_is_trusted_gets_spans() {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    authority.distinguished_name.push(DnType::CommonName, "hermes-host tests");
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let tls = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let receiver = Receiver::with(&[], Some(Arc::new(tls)));
    let port = receiver.address.port();
    for host in ["localhost", "127.0.0.1"] {
        let stranger = World::new(&format!("https://{host}:{port}"));
        stranger.call("stranger");
        stranger.end();
    }
    for host in ["localhost", "127.0.0.1"] {
        let world = World::trusting(&format!("https://{host}:{port}"), authority.pem().as_bytes());
        world.call(host);
        world.end();
    }
    assert_eq!(ids(&receiver, 2), ["localhost", "127.0.0.1"]);
}

#[test]
fn certificates_that_are_none_are_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let collector = || "https://collector.example".parse().unwrap();
    let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let started = hermes_telemetry::Telemetry::start(collector(), broken, "1.2.3", runtime.handle().clone());
    assert!(started.is_err());
}
