//! JSON as a constant tree, which the compiler flattens to text.

/// A JSON value that is known at compile time.
#[derive(Debug, Clone, Copy)]
pub enum Node {
    /// Left out of the object that holds it.
    Absent,
    /// JSON, verbatim.
    Raw(&'static str),
    /// A string, escaped when it is written.
    Text(&'static str),
    /// An array.
    List(&'static [Node]),
    /// An object.
    Object(&'static [Member]),
    /// The object `base`, with members replaced and added by `own`.
    Merge {
        /// What the author wrote at the place of use.
        own: &'static [Member],
        /// What the type says: an object, or a merge again.
        base: &'static Node,
    },
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name.
    pub key: &'static str,
    /// Its value.
    pub value: Node,
}

impl Member {
    /// The member `key` with `value`.
    pub const fn new(key: &'static str, value: Node) -> Self {
        Self { key, value }
    }
}

/// The length of `nodes` as a stream of documents, each ended by a newline.
pub const fn stream_len(nodes: &[Node]) -> usize {
    stream_into(nodes, &mut Sheet { bytes: &mut [], at: 0 })
}

/// `nodes` as a stream of documents, each ended by a newline; `N` is [`stream_len`] of them.
pub const fn stream<const N: usize>(nodes: &[Node]) -> [u8; N] {
    let mut bytes = [0; N];
    stream_into(nodes, &mut Sheet { bytes: &mut bytes, at: 0 });
    bytes
}

/// `node` as JSON text, at run time.
pub fn render(node: &Node) -> String {
    let mut count = Sheet { bytes: &mut [], at: 0 };
    count.node(node);
    let mut bytes = vec![0; count.at];
    Sheet { bytes: &mut bytes, at: 0 }.node(node);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Flattened bytes as text.
pub const fn text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

const fn stream_into(nodes: &[Node], sheet: &mut Sheet<'_>) -> usize {
    let mut rest = nodes;
    while let [first, others @ ..] = rest {
        sheet.node(first);
        sheet.byte(b'\n');
        rest = others;
    }
    sheet.at
}

/// Where text is written; one without room only counts.
struct Sheet<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

/// Members that are not written because nearer ones have the same key.
struct Hidden<'a> {
    by: &'a [Member],
    outer: Option<&'a Hidden<'a>>,
}

impl Sheet<'_> {
    #[allow(clippy::indexing_slicing, reason = "guarded by the length; `get_mut` is not const")]
    const fn byte(&mut self, byte: u8) {
        if self.at < self.bytes.len() {
            self.bytes[self.at] = byte;
        }
        self.at += 1;
    }

    const fn raw(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest {
            self.byte(*first);
            rest = others;
        }
    }

    const fn quoted(&mut self, text: &str) {
        self.byte(b'"');
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest {
            match *first {
                b'"' => self.raw("\\\""),
                b'\\' => self.raw("\\\\"),
                b'\n' => self.raw("\\n"),
                b'\t' => self.raw("\\t"),
                control @ 0..0x20 => {
                    self.raw("\\u00");
                    self.byte(hex_digit(control >> 4));
                    self.byte(hex_digit(control & 15));
                }
                other => self.byte(other),
            }
            rest = others;
        }
        self.byte(b'"');
    }

    const fn node(&mut self, node: &Node) {
        match node {
            Node::Absent => self.raw("null"),
            Node::Raw(json) => self.raw(json),
            Node::Text(text) => self.quoted(text),
            Node::List(items) => {
                self.byte(b'[');
                let mut rest = *items;
                while let [first, others @ ..] = rest {
                    self.node(first);
                    if !others.is_empty() {
                        self.byte(b',');
                    }
                    rest = others;
                }
                self.byte(b']');
            }
            Node::Object(_) | Node::Merge { .. } => {
                self.byte(b'{');
                self.members(node, None, true);
                self.byte(b'}');
            }
        }
    }

    /// Writes the members that are not hidden; says whether the next would be the first.
    const fn members(&mut self, node: &Node, hidden: Option<&Hidden<'_>>, mut first: bool) -> bool {
        let mut rest: &[Member] = match node {
            Node::Object(members) => members,
            Node::Merge { own, base } => {
                first = self.members(base, Some(&Hidden { by: own, outer: hidden }), first);
                own
            }
            _ => &[],
        };
        while let [member, others @ ..] = rest {
            if !matches!(member.value, Node::Absent) && !is_hidden(member.key, hidden) {
                if !first {
                    self.byte(b',');
                }
                first = false;
                self.quoted(member.key);
                self.byte(b':');
                self.node(&member.value);
            }
            rest = others;
        }
        first
    }
}

const fn hex_digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

const fn is_hidden(key: &str, mut hidden: Option<&Hidden<'_>>) -> bool {
    while let Some(layer) = hidden {
        let mut rest = layer.by;
        while let [member, others @ ..] = rest {
            if !matches!(member.value, Node::Absent) && equal(member.key, key) {
                return true;
            }
            rest = others;
        }
        hidden = layer.outer;
    }
    false
}

/// Whether two texts are the same; `==` is not const.
pub(super) const fn equal(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    while let ([a, rest_left @ ..], [b, rest_right @ ..]) = (left, right) {
        if *a != *b {
            return false;
        }
        left = rest_left;
        right = rest_right;
    }
    true
}

/// Refuses, at compile time, two tools of one name in one `export!`; case does not tell names apart.
#[allow(clippy::panic, reason = "a compile error in our words")]
pub const fn refuse_twins(names: &[&str]) {
    let mut rest = names;
    while let [first, others @ ..] = rest {
        let mut candidates = others;
        while let [other, more @ ..] = candidates {
            if first.eq_ignore_ascii_case(other) {
                panic!("two tools of this `export!` have the same name; set another with `#[tool(name = \"…\")]`");
            }
            candidates = more;
        }
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_become_json() {
        const TYPE: Node = Node::Object(&[
            Member::new("type", Node::Raw("\"integer\"")),
            Member::new("minimum", Node::Raw("0")),
            Member::new("maximum", Node::Raw("255")),
        ]);
        const INNER: Node = Node::Merge { own: &[Member::new("maximum", Node::Raw("99"))], base: &TYPE };
        const MERGED: Node = Node::Merge {
            own: &[
                Member::new("maximum", Node::Raw("14")),
                Member::new("minimum", Node::Absent),
                Member::new("description", Node::Text("Days")),
            ],
            base: &INNER,
        };
        const EMPTY: Node = Node::Object(&[Member::new("gone", Node::Absent)]);
        let cases = [
            (Node::Text("a\"b\\c\n\t\u{1f}🌤"), r#""a\"b\\c\n\t\u001f🌤""#),
            (Node::List(&[Node::Raw("1"), Node::Text("x")]), r#"[1,"x"]"#),
            (EMPTY, "{}"),
            (MERGED, r#"{"type":"integer","minimum":0,"maximum":14,"description":"Days"}"#),
        ];
        for (node, json) in cases {
            assert_eq!(render(&node), json);
        }
    }

    #[test]
    fn a_stream_has_a_line_for_each_document() {
        const NODES: &[Node] = &[Node::Raw("1"), Node::Text("two")];
        const LEN: usize = stream_len(NODES);
        assert_eq!(text(&stream::<LEN>(NODES)), "1\n\"two\"\n");
    }
}
