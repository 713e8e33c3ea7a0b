use std::io::Cursor;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use super::{fit, follow, id_in, output, owner, stores, text, texts};

#[test]
fn five_megabytes_of_one_json_line_come_back_whole() {
    let items: Vec<Value> = (0..180_000).map(|n| json!({"n": n, "name": "Zoë – 猫"})).collect();
    let long = Value::from(items).to_string();
    assert!(long.len() > 5_000_000 && !long.contains('\n'));
    let (_folder, stores) = stores(Quota::default());
    for (store, _) in stores {
        let fitted = fit(output(vec![text(long.clone())]), Some(100_000), store.as_ref());
        let [shown] = texts(&fitted)[..] else { panic!() };
        assert!(shown.chars().count() < 3_000 && shown.starts_with(long.get(..1_000).unwrap()));
        let id = id_in(shown);
        let read = |range| {
            // As a resource: by its address.
            let uri: ResultUri = ResultUri { id, range }.to_string().parse().unwrap();
            let (kind, page) = store.read(owner("s"), uri.id, uri.range).unwrap().unwrap();
            assert_eq!((kind, page.total), (Kind::JSON, long.len() as u64));
            page
        };
        assert!(follow(read, Range::Whole) == long);
        assert!(follow(read, Range::Bytes { offset: 0, limit: Some(99_991) }) == long);
        assert!(follow(read, Range::Bytes { offset: 0, limit: None }) == long);
        assert!(follow(read, Range::Lines { line: 1, lines: 300 }) == long);
        let Body::Lines(lines) = read(Range::Lines { line: 2, lines: 2 }).body else { panic!() };
        assert_eq!(
            lines.iter().map(|line| (line.number, line.continues, line.ends)).collect::<Vec<_>>(),
            [(2, true, false), (3, true, false)]
        );
        assert_eq!(lines[0].text.chars().count(), MAX_LINE_CHARS);
    }
}

#[test]
fn lines_are_numbered_and_say_which_go_on() {
    let long = "x".repeat(MAX_LINE_CHARS);
    let pages =
        |content: &str, line, lines| page(&mut Cursor::new(content), true, Range::Lines { line, lines }).unwrap();
    let content = format!("a\n\n{long}\n{long}é\nlast");
    assert_eq!(pages(&content, 1, 100).numbered().unwrap(), format!("1|a\n2|\n3|{long}\n4|{long}\n5+é\n6|last"));
    let middle = pages(&content, 5, 1);
    assert_eq!((middle.text().unwrap().as_str(), middle.next), ("é\n", Some(6)));
    for (content, numbered) in [("", ""), ("\n", "1|"), ("a", "1|a"), ("a\n", "1|a"), ("a\r\nb", "1|a\r\n2|b")] {
        let page = pages(content, 1, 10);
        assert_eq!((page.numbered().unwrap().as_str(), page.text().unwrap().as_str()), (numbered, content));
        assert_eq!(page.next, None);
    }
    assert_eq!(pages("a\nb", 9, 1), Page { body: Body::Lines(vec![]), total: 3, next: None });
    assert_eq!(pages("a\nb", 0, 0).numbered().unwrap(), "1|a", "a page holds something");
    // A page that grows large ends before the number that was asked for.
    let large = format!("{long}\n").repeat(2_000);
    let page = pages(&large, 1, u64::MAX);
    assert!(page.next.unwrap() < 600 && page.text().unwrap().len() < 2 << 20);
    // What is no text comes back in pieces of bounded size, too.
    let bytes = vec![0x80_u8; 100_000];
    let page = super::page(&mut Cursor::new(bytes), true, Range::Lines { line: 1, lines: 1 }).unwrap();
    assert!(page.next == Some(2) && page.text().unwrap().chars().count() <= 4 * MAX_LINE_CHARS);
}

/// Counts what is read.
struct Counting<R>(R, u64);

impl<R: std::io::Read> std::io::Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1 += read as u64;
        Ok(read)
    }
}

impl<R: std::io::Seek> std::io::Seek for Counting<R> {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_page_reads_no_more_than_it_needs() {
    let content = "é".repeat(5 << 20);
    for range in [Range::Bytes { offset: 7_000_001, limit: Some(1_000) }, Range::Lines { line: 1, lines: 10 }] {
        let mut source = Counting(Cursor::new(content.as_bytes()), 0);
        page(&mut source, true, range).unwrap();
        assert!(source.1 <= 128 << 10, "{range:?}: {}", source.1);
    }
}

#[test]
fn bytes_are_cut_between_characters_only() {
    let content = "aé猫😀";
    let at = |offset, limit| {
        let page = page(&mut Cursor::new(content), true, Range::Bytes { offset, limit: Some(limit) }).unwrap();
        (page.text().unwrap(), page.next)
    };
    for (offset, limit, expected, next) in [
        (0, 1, "a", Some(1)),
        (0, 2, "a", Some(1)),
        (0, 3, "aé", Some(3)),
        (1, 1, "é", Some(3)),
        (2, 1, "é", Some(3)),
        (3, 0, "猫", Some(6)),
        (5, 3, "猫", Some(6)),
        (6, 3, "😀", None),
        (9, 9, "😀", None),
        (10, 1, "", None),
        (99, 1, "", None),
    ] {
        assert_eq!(at(offset, limit), (expected.to_owned(), next), "{offset} {limit}");
    }
    let raw = page(&mut Cursor::new(content), false, Range::Bytes { offset: 2, limit: Some(1) }).unwrap();
    assert_eq!((raw.body, raw.next), (Body::Bytes(vec![0xa9]), Some(3)));
}

proptest! {
    #[test]
    fn pages_put_together_are_the_whole(
        content in prop_oneof!["[a-zé猫😀\n\r]{0,300}", ("[aé\n]{1,5}", 0..3_000_usize).prop_map(|(text, n)| text.repeat(n))],
        limit in 1..5_000_u64, lines in 1..40_u64,
    ) {
        let read = |range| page(&mut Cursor::new(content.as_bytes()), true, range).unwrap();
        for range in [Range::Bytes { offset: 0, limit: Some(limit) }, Range::Lines { line: 1, lines }] {
            prop_assert_eq!(&follow(read, range), &content);
        }
    }

    #[test]
    fn a_byte_page_from_anywhere_is_text(content in "[aé猫😀]{0,20}", offset in 0..90_u64, limit in 0..20_u64) {
        let page = page(&mut Cursor::new(content.as_bytes()), true, Range::Bytes { offset, limit: Some(limit) }).unwrap();
        prop_assert!(content.contains(&page.text().unwrap()));
    }
}
