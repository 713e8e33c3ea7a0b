//! What the binary carries: the core tools, the toolset files, and what `new` writes.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
