//! `embed`: puts a manifest into a component that was built without one.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use hermes_manifest::{Existing, Refusal, embed as put, scan};

use crate::cli::EmbedArgs;
use crate::failure::Failure;
use crate::input::{MAX_COMPONENT, MAX_TEXT, read};
use crate::printer::{Printer, shown};

pub(super) fn embed(args: &EmbedArgs, printer: Printer) -> Result<(), Failure> {
    let component = read(&args.file, MAX_COMPONENT)?;
    let documents = match (&args.manifest, &args.from) {
        (Some(manifest), _) => read(manifest, MAX_TEXT)?,
        (None, Some(other)) => {
            let other_component = Cursor::new(read(other, MAX_COMPONENT)?);
            scan(other_component).map_err(|refusal| refused(other, &refusal))?.section
        }
        (None, None) => return Err(Failure::usage("one of --manifest and --from is needed")),
    };
    let existing = if args.replace { Existing::Replace } else { Existing::Keep };
    let written_in = args.manifest.as_ref().unwrap_or(&args.file);
    let result = put(&component, &documents, existing).map_err(|refusal| {
        let file = if is_of_the_manifest(&refusal) { written_in } else { &args.file };
        refused(file, &refusal)
    })?;
    let target = args.output.as_ref().unwrap_or(&args.file);
    write_whole(&place(target)?, &result).map_err(|error| Failure::file(target, &error))?;
    let found = scan(Cursor::new(&result)).map_err(|refusal| refused(target, &refusal))?;
    let names: Vec<&str> = found.manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    printer.note(&format!("{}: {}", shown(target), names.join(", ")));
    Ok(())
}

fn is_of_the_manifest(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::Document { .. }
            | Refusal::NameTaken { .. }
            | Refusal::NoDocuments
            | Refusal::TooManyDocuments
            | Refusal::SectionTooBig(_)
    )
}

fn refused(file: &Path, refusal: &Refusal) -> Failure {
    Failure::usage(format!("{}: {refusal}", shown(file)))
}

/// Where the result goes: through a link to what it leads to, and never in the place of a device, a FIFO or a folder.
fn place(named: &Path) -> Result<PathBuf, Failure> {
    match fs::metadata(named) {
        Ok(existing) if existing.is_file() => named.canonicalize().map_err(|error| Failure::file(named, &error)),
        Ok(_) => Err(Failure::usage(format!("{}: not a regular file", shown(named)))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(named.to_path_buf()),
        Err(error) => Err(Failure::file(named, &error)),
    }
}

/// Writes beside the target and renames, so that nobody ever sees half a component.
fn write_whole(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    let permissions = match fs::metadata(target) {
        Ok(existing) => Some(existing.permissions()),
        Err(_) => readable_by_all(),
    };
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(target)?;
    Ok(())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "the other systems have no mode")]
fn readable_by_all() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all() -> Option<fs::Permissions> {
    None
}
