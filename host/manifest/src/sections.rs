//! Walks the sections of a component, reading headers and seeking past the rest.

use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::find::{MAX_SECTIONS, SECTION_NAME};
use crate::refusal::Refusal;

/// Bytes read at a time: a header and what commonly follows it, in one system call.
const WINDOW: usize = 8 << 10;

const MAGIC: &[u8; 4] = b"\0asm";
const COMPONENT: (u16, u16) = (0xd, 1);
const CORE_MODULE: (u16, u16) = (1, 0);

/// Section ids, from the component model's and WebAssembly's binary formats.
pub(crate) mod id {
    pub(crate) const CUSTOM: u8 = 0;
    pub(crate) const CORE_MODULE: u8 = 1;
    pub(crate) const IMPORT: u8 = 10;
    pub(crate) const EXPORT: u8 = 11;
    pub(crate) const LAST: u8 = 12;
}

/// One section.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// What it is.
    pub(crate) id: u8,
    /// Where its content lies in the file.
    pub(crate) content: Range<u64>,
}

impl Section {
    /// Bytes of its content.
    pub(crate) fn length(&self) -> u64 {
        self.content.end.saturating_sub(self.content.start)
    }
}

/// A position in a component, and how to move it.
#[derive(Debug)]
pub(crate) struct Sections<R> {
    reader: BufReader<R>,
    position: u64,
    length: u64,
    seen: usize,
}

impl<R: Read + Seek> Sections<R> {
    /// Starts behind the component's preamble.
    pub(crate) fn open(mut component: R) -> Result<Self, Refusal> {
        let length = component.seek(SeekFrom::End(0))?;
        component.rewind()?;
        let mut sections = Self { reader: BufReader::with_capacity(WINDOW, component), position: 0, length, seen: 0 };
        sections.component_preamble()?;
        Ok(sections)
    }

    /// Bytes of the whole file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    fn component_preamble(&mut self) -> Result<(), Refusal> {
        let mut head = Vec::with_capacity(8);
        self.reader.by_ref().take(8).read_to_end(&mut head)?;
        self.position = head.len() as u64;
        match head.as_slice() {
            [] => Err(Refusal::Empty),
            [m0, m1, m2, m3, v0, v1, l0, l1] if [*m0, *m1, *m2, *m3] == *MAGIC => {
                match (u16::from_le_bytes([*v0, *v1]), u16::from_le_bytes([*l0, *l1])) {
                    COMPONENT => Ok(()),
                    CORE_MODULE => Err(Refusal::CoreModule),
                    (version, layer) => Err(Refusal::Encoding { version, layer }),
                }
            }
            short if MAGIC.starts_with(short) || (short.starts_with(MAGIC) && short.len() < 8) => {
                Err(Refusal::Truncated { offset: 0, expected: 8, available: self.length })
            }
            other => Err(Refusal::NotWasm(describe(other))),
        }
    }

    /// Reads the preamble of a core module that ends at `end`.
    pub(crate) fn module_preamble(&mut self, end: u64) -> Result<(), Refusal> {
        let offset = self.position;
        let preamble = self.bytes(8, end)?;
        if preamble == *b"\0asm\x01\0\0\0" {
            return Ok(());
        }
        Err(Refusal::Malformed { offset, message: "expected a core module".to_owned() })
    }

    /// The next section up to `end`; `None` at the end.
    pub(crate) fn next(&mut self, end: u64) -> Result<Option<Section>, Refusal> {
        if self.position >= end {
            return Ok(None);
        }
        self.seen += 1;
        if self.seen > MAX_SECTIONS {
            return Err(Refusal::TooManySections);
        }
        let id = self.byte(end)?;
        let length = u64::from(self.var_u32(end)?);
        let start = self.position;
        self.room(length, end)?;
        Ok(Some(Section { id, content: start..start.saturating_add(length) }))
    }

    /// Where the metadata lies in a custom section whose content begins here; `None` if it has another name.
    pub(crate) fn metadata(&mut self, section: &Section) -> Result<Option<Range<u64>>, Refusal> {
        let end = section.content.end;
        let length = u64::from(self.var_u32(end)?);
        self.room(length, end)?;
        if length != SECTION_NAME.len() as u64 {
            return Ok(None);
        }
        let name = self.bytes(length, end)?;
        Ok((name == SECTION_NAME.as_bytes()).then_some(self.position..end))
    }

    /// Reads `length` bytes, which must lie before `end`. The caller has bounded `length`.
    pub(crate) fn bytes(&mut self, length: u64, end: u64) -> Result<Vec<u8>, Refusal> {
        self.room(length, end)?;
        let mut bytes = Vec::new();
        self.reader.by_ref().take(length).read_to_end(&mut bytes)?;
        self.position = self.position.saturating_add(bytes.len() as u64);
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(self.changed()) }
    }

    /// Moves to `position`, which is not behind.
    pub(crate) fn skip_to(&mut self, position: u64) -> Result<(), Refusal> {
        let distance = i64::try_from(position.saturating_sub(self.position)).map_err(|_| self.changed())?;
        self.reader.seek_relative(distance)?;
        self.position = position;
        Ok(())
    }

    fn room(&self, length: u64, end: u64) -> Result<(), Refusal> {
        let available = end.saturating_sub(self.position);
        if length <= available {
            return Ok(());
        }
        Err(Refusal::Truncated { offset: self.position, expected: length, available })
    }

    fn byte(&mut self, end: u64) -> Result<u8, Refusal> {
        self.room(1, end)?;
        let mut byte = [0];
        match self.reader.read_exact(&mut byte) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(self.changed()),
            Err(error) => return Err(error.into()),
        }
        self.position += 1;
        let [byte] = byte;
        Ok(byte)
    }

    fn var_u32(&mut self, end: u64) -> Result<u32, Refusal> {
        let offset = self.position;
        let mut value = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte(end)?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && byte > 0x0f {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Refusal::Malformed { offset, message: "a number is longer than 32 bits".to_owned() })
    }

    /// The file got shorter while it was read.
    fn changed(&self) -> Refusal {
        Refusal::Truncated { offset: self.position, expected: self.length.saturating_sub(self.position), available: 0 }
    }
}

fn describe(head: &[u8]) -> &'static str {
    match head {
        [0x1f, 0x8b, ..] => "a gzip archive",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "a zstd archive",
        [b'P', b'K', ..] => "a zip archive",
        [0x7f, b'E', b'L', b'F', ..] => "an ELF program or library",
        [b'M', b'Z', ..] => "a Windows program or library",
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => "a Mach-O program or library",
        text if text.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) => "a text file",
        _ => "a file of another kind",
    }
}
