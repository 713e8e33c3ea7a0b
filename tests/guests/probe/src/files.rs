//! What a guest tries with files.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};

use hermes_tool::prelude::*;

pub(crate) fn read(path: &str) -> Result<String> {
    Ok(fs::read_to_string(path)?)
}

/// What is read in `times` attempts, each content once.
pub(crate) fn read_many(path: &str, times: u64) -> String {
    let contents: BTreeSet<_> = (0..times).filter_map(|_| fs::read_to_string(path).ok()).collect();
    contents.into_iter().collect::<Vec<_>>().join(" ")
}

pub(crate) fn write(path: &str, text: &str) -> Result<String> {
    fs::write(path, text)?;
    Ok("written".into())
}

pub(crate) fn append(path: &str, bytes: u64) -> Result<String> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let piece = [b'x'; 4096];
    let mut written = 0;
    while written < bytes {
        file.write_all(&piece)?;
        written += piece.len() as u64;
    }
    Ok(format!("appended {written}"))
}

pub(crate) fn set_len(path: &str, size: u64) -> Result<String> {
    OpenOptions::new().create(true).truncate(false).write(true).open(path)?.set_len(size)?;
    Ok("set".into())
}

pub(crate) fn write_hole(path: &str, offset: u64) -> Result<String> {
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(b"x")?;
    Ok("written".into())
}

pub(crate) fn list(path: &str) -> Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names.join(" "))
}

pub(crate) fn stat(path: &str) -> Result<String> {
    Ok(fs::metadata(path)?.len().to_string())
}

pub(crate) fn remove(path: &str) -> Result<String> {
    fs::remove_file(path)?;
    Ok("removed".into())
}

pub(crate) fn remove_folder(path: &str) -> Result<String> {
    fs::remove_dir(path)?;
    Ok("removed".into())
}

pub(crate) fn make_folder(path: &str) -> Result<String> {
    fs::create_dir(path)?;
    Ok("made".into())
}

pub(crate) fn make_files(path: &str, count: u64) -> Result<String> {
    for number in 0..count {
        File::create(format!("{path}/{number}"))?;
    }
    Ok("made".into())
}

pub(crate) fn rename(from: &str, to: &str) -> Result<String> {
    fs::rename(from, to)?;
    Ok("renamed".into())
}

pub(crate) fn hard_link(from: &str, to: &str) -> Result<String> {
    fs::hard_link(from, to)?;
    Ok("linked".into())
}

pub(crate) fn keep_open(path: &str, count: u64) -> Result<String> {
    let files = (0..count).map(|_| File::open(path)).collect::<std::io::Result<Vec<_>>>()?;
    Ok(format!("opened {}", files.len()))
}
