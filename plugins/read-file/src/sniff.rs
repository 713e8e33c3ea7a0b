//! What a file is, judged by its first bytes and never by its name.

/// How many of the first bytes are judged.
const JUDGED: usize = 8 * 1024;

/// What the first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text, to be read by the line.
    Text,
    /// Text that begins with a UTF-8 byte order mark.
    MarkedText,
    /// A picture, in this format.
    Image(&'static str),
    /// Not text; in this format where it is a known one.
    Binary(Option<&'static str>),
}

/// The UTF-8 byte order mark.
pub(crate) const MARK: &[u8] = b"\xEF\xBB\xBF";

const IMAGES: [(&[u8], &str); 7] = [
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xFF\xD8\xFF", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"\0\0\x01\0", "ICO"),
];

const BINARIES: [(&[u8], &str); 10] = [
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP archive or office document"),
    (b"\x1F\x8B", "gzip archive"),
    (b"\xFD7zXZ\0", "xz archive"),
    (b"\x28\xB5\x2F\xFD", "zstd archive"),
    (b"\x7FELF", "ELF program"),
    (b"\0asm", "WebAssembly"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\xFF\xFE", "UTF-16 text, to be converted to UTF-8 first"),
    (b"\xFE\xFF", "UTF-16 text, to be converted to UTF-8 first"),
];

/// Judges a file by `head`, its first bytes.
pub(crate) fn sniff(head: &[u8]) -> Kind {
    let head = head.get(..JUDGED).unwrap_or(head);
    let begins = |(magic, _): &&(&[u8], &'static str)| head.starts_with(magic);
    if let Some((_, format)) = IMAGES.iter().find(begins) {
        Kind::Image(format)
    } else if let Some(format) = chunked_image(head) {
        Kind::Image(format)
    } else if let Some((_, format)) = BINARIES.iter().find(begins) {
        Kind::Binary(Some(format))
    } else if head.contains(&0) || mostly_control(head) {
        Kind::Binary(None)
    } else if head.starts_with(MARK) {
        Kind::MarkedText
    } else {
        Kind::Text
    }
}

/// Formats whose name stands behind a length: RIFF and the ISO base media file format.
fn chunked_image(head: &[u8]) -> Option<&'static str> {
    let format = head.get(8..12)?;
    match (head.get(..4)?, head.get(4..8)?, format) {
        (b"RIFF", _, b"WEBP") => Some("WebP"),
        (_, b"ftyp", b"avif" | b"avis") => Some("AVIF"),
        (_, b"ftyp", b"heic" | b"heix" | b"mif1") => Some("HEIF"),
        // Two letters alone would take text for a picture: the reserved bytes of the header are zero.
        ([b'B', b'M', ..], _, _) if head.get(6..10) == Some(&[0; 4]) => Some("BMP"),
        _ => None,
    }
}

/// More than 30 % of bytes that text has no use for. Escape sequences and form feeds are text.
fn mostly_control(head: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 0x00..=0x06 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    head.iter().filter(is_control).count() * 10 > head.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        for (head, expected) in [
            (&b""[..], Kind::Text),
            (b"plain\n", Kind::Text),
            (b"\x1b[31mred\x1b[0m\x0c\n", Kind::Text),
            (b"caf\xe9 in Latin-1\n", Kind::Text),
            (b"BM is no picture here", Kind::Text),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", Kind::Text),
            (b"\xEF\xBB\xBFmarked", Kind::MarkedText),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Kind::Image("PNG")),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Kind::Image("WebP")),
            (b"\0\0\0\x1cftypavif", Kind::Image("AVIF")),
            (b"BM\x36\0\x0c\0\0\0\0\0\x36\0", Kind::Image("BMP")),
            (b"%PDF-1.7\n", Kind::Binary(Some("PDF"))),
            (b"\0asm\x0d\0\x01\0", Kind::Binary(Some("WebAssembly"))),
            (b"one\0two", Kind::Binary(None)),
            (b"\x01\x02\x03text", Kind::Binary(None)),
        ] {
            assert_eq!(sniff(head), expected, "{head:?}");
        }
    }

    #[test]
    fn only_the_first_bytes_are_judged() {
        let mut late = vec![b'a'; JUDGED];
        late.push(0);
        assert_eq!(sniff(&late), Kind::Text);
    }
}
