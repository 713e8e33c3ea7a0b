//! Folders with whatever someone put there.

use std::fs;
use std::path::Path;

use hermes_core::library::{MAX_FILE, MAX_FILES, MAX_TEXT_FILE, Prompts, Resources};

use super::{all_refused, folder, uris};

fn names(prompts: &Prompts) -> Vec<&str> {
    prompts.iter().map(|prompt| prompt.name.as_str()).collect()
}

#[test]
fn a_folder_that_is_not_there_is_empty_and_one_that_is_none_is_told() {
    let temp = folder(&[("file", b"x")]);
    assert_eq!(Prompts::load(&temp.path().join("none")), Prompts::default());
    assert_eq!(Resources::load(&temp.path().join("none")), Resources::default());
    let prompts = Prompts::load(&temp.path().join("file"));
    assert_eq!(prompts.refused().len(), 1, "{prompts:?}");
}

#[test]
fn the_order_of_a_folder_is_no_matter() {
    let mut files: Vec<(String, &[u8])> = (0..50).map(|number| (format!("web/p{number}.md"), &b"x"[..])).collect();
    let load = |files: &[(String, &[u8])]| {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, content)| (name.as_str(), *content)).collect();
        let temp = folder(&files);
        let (prompts, resources) = (Prompts::load(temp.path()), Resources::load(temp.path()));
        (names(&prompts).join(" "), uris(&resources).join(" "))
    };
    let first = load(&files);
    files.reverse();
    assert_eq!(load(&files), first);
}

#[test]
fn hidden_files_are_ignored_and_other_endings_are_no_prompts() {
    let temp = folder(&[
        (".hidden.md", b"x"),
        (".git/a.md", b"x"),
        ("web/.swp.md", b"x"),
        ("a.txt", b"x"),
        ("b.md~", b"x"),
        ("c.md", b"x"),
    ]);
    let prompts = Prompts::load(temp.path());
    assert_eq!((names(&prompts), prompts.refused()), (vec!["c"], &[][..]));
    let resources = Resources::load(temp.path());
    assert_eq!(uris(&resources), ["hermes://resources/a.txt", "hermes://resources/b.md~", "hermes://resources/c.md"]);
}

#[test]
fn folders_are_those_of_toolsets() {
    let temp =
        folder(&[("Not A Toolset/a.md", b"x"), ("all/b.md", b"x"), ("web/deeper/c.md", b"x"), ("web/d.md", b"x")]);
    let prompts = Prompts::load(temp.path());
    assert_eq!(names(&prompts), ["d"]);
    let refused = all_refused(prompts.refused(), temp.path());
    assert_eq!(refused.len(), 3, "{refused:?}");
    assert!(refused[0].starts_with("Not A Toolset: expected the name of a toolset: "), "{refused:?}");
    assert!(refused[1].starts_with("all: stands for every toolset"), "{refused:?}");
    assert_eq!(refused[2], "web/deeper: a folder in the folder of a toolset: expected files only");
}

#[test]
fn files_have_a_size_to_which_they_are_read() {
    let text = vec![b'x'; usize::try_from(MAX_TEXT_FILE).unwrap()];
    let longer = [&text[..], b"x"].concat();
    let temp = folder(&[("a.md", &text), ("b.md", &longer)]);
    let prompts = Prompts::load(temp.path());
    assert_eq!(names(&prompts), ["a"]);
    assert_eq!(all_refused(prompts.refused(), temp.path()), ["b.md: it is larger than 256 KiB"]);
    let sparse = |name: &str, size| fs::File::create(temp.path().join(name)).unwrap().set_len(size).unwrap();
    sparse("c.bin", MAX_FILE);
    sparse("d.bin", MAX_FILE + 1);
    let resources = Resources::load(temp.path());
    assert_eq!(all_refused(resources.refused(), temp.path()), ["d.bin: it is larger than 4 MiB"]);
    fs::write(temp.path().join("b.md"), "![x:y](d.bin)").unwrap();
    let prompts = Prompts::load(temp.path());
    assert!(all_refused(prompts.refused(), temp.path())[0].starts_with("b.md:1: `d.bin`: it is larger than 4 MiB"));
}

#[test]
fn all_files_together_have_a_size_to_which_they_are_read() {
    let temp = folder(&[]);
    for number in 10..27 {
        fs::File::create(temp.path().join(format!("{number}.bin"))).unwrap().set_len(MAX_FILE).unwrap();
    }
    fs::write(temp.path().join("z.txt"), "").unwrap();
    let resources = Resources::load(temp.path());
    assert_eq!(resources.iter().count(), 17);
    assert_eq!(
        all_refused(resources.refused(), temp.path()),
        ["26.bin: with it all files together are larger than 64 MiB"]
    );
}

#[test]
fn a_folder_with_too_many_files_is_not_read() {
    let temp = folder(&[("a.txt", b"x"), ("web/a.txt", b"x"), ("zoo/a.txt", b"x")]);
    for number in 0..MAX_FILES {
        fs::write(temp.path().join(format!("web/{number}")), "").unwrap();
    }
    let resources = Resources::load(temp.path());
    assert_eq!(uris(&resources), ["hermes://resources/a.txt", "hermes://resources/zoo/a.txt"]);
    assert_eq!(
        all_refused(resources.refused(), temp.path()),
        ["web: more than 4096 files: none of this folder is read"]
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_followed_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let outside = folder(&[("secret.md", b"secret"), ("more/a.md", b"secret")]);
    let temp = folder(&[("inside.md", b"x"), ("web/b.md", b"![a:b](key.txt)")]);
    let link = |to: &Path, name: &str| symlink(to, temp.path().join(name)).unwrap();
    link(&outside.path().join("secret.md"), "a_link.md");
    link(&outside.path().join("more"), "file");
    link(&outside.path().join("secret.md"), "web/key.txt");
    link(Path::new("missing.md"), "dangling.md");
    link(Path::new("loop.md"), "loop.md");
    link(Path::new("inside.md"), "same.md");
    link(Path::new("."), "here");
    let prompts = Prompts::load(temp.path());
    assert_eq!(names(&prompts), ["inside", "same"]);
    let refused = all_refused(prompts.refused(), temp.path());
    for told in [
        "a_link.md: it leads out of the folder",
        "file: it leads out of the folder",
        "web/key.txt: it leads out of the folder",
        "dangling.md: No such file",
        "loop.md: ",
        "web/b.md:1: there is no file `key.txt` beside the prompt",
    ] {
        assert!(refused.iter().any(|refused| refused.starts_with(told)), "{told}: {refused:?}");
    }
    assert!(!format!("{prompts:?}").contains("secret\""));
    let resources = Resources::load(temp.path());
    assert!(resources.iter().all(|resource| resource.read().text.as_deref() != Some("secret")));
}

#[cfg(unix)]
#[test]
fn the_folder_itself_may_be_a_link() {
    let (temp, links) = (folder(&[("a.md", b"x"), ("web/b.md", b"x")]), folder(&[]));
    std::os::unix::fs::symlink(temp.path(), links.path().join("prompts")).unwrap();
    let prompts = Prompts::load(&links.path().join("prompts"));
    assert_eq!((names(&prompts), prompts.refused()), (vec!["a", "b"], &[][..]));
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_opened() {
    let temp = folder(&[("a.md", b"![x:y](pipe.txt)"), ("b.md", b"x")]);
    for name in ["pipe.txt", "pipe.md"] {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            temp.path().join(name),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
    }
    std::os::unix::net::UnixListener::bind(temp.path().join("socket.md")).unwrap();
    let prompts = Prompts::load(temp.path());
    assert_eq!(names(&prompts), ["b"]);
    let refused = all_refused(prompts.refused(), temp.path());
    assert!(refused[0].starts_with("a.md:1: `pipe.txt`: not a regular file"), "{refused:?}");
    assert_eq!(refused[1], "pipe.md: not a regular file");
    assert!(refused[2].starts_with("socket.md: "), "{refused:?}");
    assert_eq!(Resources::load(temp.path()).refused().len(), 3);
}

#[cfg(unix)]
#[test]
fn names_that_hide_something_are_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let temp = folder(&[("plain.md", b"x")]);
    for name in [&b"\xff.md"[..], b"new\nline.md", "rtl\u{202E}.md".as_bytes(), "zero\u{200B}.md".as_bytes()] {
        fs::write(temp.path().join(OsStr::from_bytes(name)), "x").unwrap();
    }
    fs::write(temp.path().join("a b.md"), "x").unwrap();
    let prompts = Prompts::load(temp.path());
    assert_eq!(names(&prompts), ["plain"]);
    let refused = all_refused(prompts.refused(), temp.path());
    assert_eq!(refused.len(), 5, "{refused:?}");
    assert_eq!(refused.iter().filter(|told| told.contains("without hidden characters")).count(), 4, "{refused:?}");
    assert!(refused.iter().any(|told| told.starts_with("a b.md: \"a b\" is not a name: ")), "{refused:?}");
}

#[test]
fn a_prompt_is_text() {
    let temp = folder(&[("a.md", b"caf\xe9"), ("b.md", b"\x00")]);
    let prompts = Prompts::load(temp.path());
    assert_eq!(all_refused(prompts.refused(), temp.path()), ["a.md: it is no text in UTF-8"]);
}
