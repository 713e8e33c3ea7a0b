//! What is published against the version of wasmtime that this host is built with.
//!
//! The newest patch of the LTS line that the pinned compiler builds lacks some fixes; for each the table says what stands in
//! its place. An entry goes when the pin passes the version that fixes it.

/// A published weakness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Advisory {
    /// Its name in the advisory database.
    pub(crate) id: &'static str,
    /// What an attacker gains.
    pub(crate) effect: &'static str,
    /// The first versions without it.
    pub(crate) fixed_in: &'static str,
    /// Why it does not bite here, or what remains.
    pub(crate) answer: &'static str,
}

/// All that is known, the newest last.
pub(crate) const ADVISORIES: [Advisory; 8] = [
    Advisory {
        id: "GHSA-hmmr-87qq-258j",
        effect: "connecting a UDP socket passes the check for sending",
        fixed_in: "50.0.1",
        answer: "No socket is granted, so none can be made",
    },
    Advisory {
        id: "GHSA-6fr9-xmw9-5352",
        effect: "borrowed resources hold on to memory",
        fixed_in: "50.0.1",
        answer: "The caps on handles and resources bound it, and every call's store is dropped",
    },
    Advisory {
        id: "GHSA-h4wp-g4x3-7398",
        effect: "a body may differ from its content length",
        fixed_in: "50.0.1",
        answer: "Bodies are counted by the egress client",
    },
    Advisory {
        id: "GHSA-5m8g-xhq4-4h93",
        effect: "empty writes to an asynchronous stream grow the host's memory",
        fixed_in: "48.0.9, 50.0.2",
        answer: "Guests get no asynchronous write streams: files are written in blocking mode, output goes to a bounded log",
    },
    Advisory {
        id: "GHSA-f8mm-ggr3-89wh",
        effect: "empty writes to an HTTP/2 body grow the host's memory",
        fixed_in: "48.0.9, 50.0.2",
        answer: "The egress client speaks HTTP/1.1 only",
    },
    Advisory {
        id: "GHSA-rc4p-x33f-vpr2",
        effect: "abort on components with GC types in builds without that feature",
        fixed_in: "48.0.9, 50.0.2",
        answer: "Compiled in, switched off, and refused before compilation",
    },
    Advisory {
        id: "GHSA-2674-w29h-wqvj",
        effect: "abort on components with threads in builds without that feature",
        fixed_in: "48.0.9, 50.0.2",
        answer: "Compiled in, switched off, and refused before compilation",
    },
    Advisory {
        id: "GHSA-f2pq-268w-886c",
        effect: "drive prefixes and device names escape a folder on Windows",
        fixed_in: "48.0.10, 50.0.3",
        answer: "Remains on Windows: grant no folders to tools that you do not trust there",
    },
];
