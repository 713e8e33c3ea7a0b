//! What a guest tries with the machine and its own process.

use hermes_tool::prelude::*;

#[expect(clippy::disallowed_methods, reason = "a guest's environment is the granted one")]
pub(crate) fn environment() -> String {
    let variables: Vec<_> = std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
    let arguments: Vec<_> = std::env::args().collect();
    format!("{variables:?} {arguments:?}")
}

#[expect(clippy::disallowed_methods, reason = "a guest may try")]
pub(crate) fn exit(code: u64) -> ! {
    std::process::exit(i32::try_from(code).unwrap_or(1))
}

#[expect(clippy::panic, reason = "a guest may try")]
pub(crate) fn panic(message: &str) -> ! {
    panic!("{message}")
}

#[expect(clippy::disallowed_methods, reason = "a guest may block, it has its thread to itself")]
pub(crate) fn sleep(millis: u64) -> String {
    std::thread::sleep(std::time::Duration::from_millis(millis));
    "woke up".into()
}

#[expect(clippy::disallowed_methods, reason = "a guest's environment is the granted one")]
pub(crate) fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

pub(crate) fn spin() -> ! {
    let mut turns = 0u64;
    loop {
        turns = std::hint::black_box(turns.wrapping_add(1));
    }
}

pub(crate) fn grow(mebibytes: u64) -> Result<String> {
    let mut all = Vec::new();
    for _ in 0..mebibytes {
        all.push(std::hint::black_box(vec![1u8; 1 << 20]));
    }
    Ok(format!("grew by {}", all.len()))
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a guest may try")]
pub(crate) fn print(text: &str, times: u64) -> Result<String> {
    for _ in 0..times.max(1) {
        println!("{text}");
        eprintln!("{text}");
    }
    Ok("printed".into())
}

pub(crate) fn random(bytes: u64) -> Result<String> {
    let mut piece = [0u8; 256];
    for _ in 0..bytes.div_ceil(256) {
        random::fill(&mut piece)?;
    }
    Ok("drawn".into())
}

pub(crate) fn symbolic_link(target: &str, path: &str) -> Result<String> {
    libc::symlink(target, path)?;
    Ok("linked".into())
}

pub(crate) fn set_times(path: &str) -> Result<String> {
    libc::touch(path)?;
    Ok("set".into())
}

/// Random bytes by wasi-libc, which std does not offer.
#[cfg(target_family = "wasm")]
mod random {
    unsafe extern "C" {
        fn getentropy(buffer: *mut u8, length: usize) -> i32;
    }

    pub(super) fn fill(bytes: &mut [u8]) -> std::io::Result<()> {
        // SAFETY: the pointer and the length are those of one live buffer.
        let result = unsafe { getentropy(bytes.as_mut_ptr(), bytes.len()) };
        if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    }
}

/// Calls of wasi-libc that std does not offer on stable.
#[cfg(target_family = "wasm")]
mod libc {
    use std::ffi::{CString, c_char, c_void};

    /// `AT_FDCWD` of wasi-libc.
    const CURRENT_FOLDER: i32 = -2;

    unsafe extern "C" {
        #[link_name = "symlink"]
        fn c_symlink(target: *const c_char, path: *const c_char) -> i32;
        fn utimensat(folder: i32, path: *const c_char, times: *const c_void, flags: i32) -> i32;
    }

    pub(super) fn symlink(target: &str, path: &str) -> std::io::Result<()> {
        let (target, path) = (CString::new(target)?, CString::new(path)?);
        // SAFETY: both are texts that end with NUL and live across the call.
        check(unsafe { c_symlink(target.as_ptr(), path.as_ptr()) })
    }

    pub(super) fn touch(path: &str) -> std::io::Result<()> {
        let path = CString::new(path)?;
        // SAFETY: the path ends with NUL and lives across the call; no times means now.
        check(unsafe { utimensat(CURRENT_FOLDER, path.as_ptr(), std::ptr::null(), 0) })
    }

    fn check(result: i32) -> std::io::Result<()> {
        if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    }
}

#[cfg(not(target_family = "wasm"))]
mod random {
    pub(super) fn fill(_: &mut [u8]) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

#[cfg(not(target_family = "wasm"))]
mod libc {
    pub(super) fn symlink(_: &str, _: &str) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    pub(super) fn touch(_: &str) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}
