//! Which crate types rustc was asked for.

/// What is wrong with the crate types of a crate with `export!`, if anything.
pub(crate) fn mistake(arguments: impl Iterator<Item = String>) -> Option<&'static str> {
    let mut types = Vec::new();
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("--crate-type") {
            Some("") => types.extend(arguments.next()),
            Some(rest) => types.extend(rest.strip_prefix('=').map(str::to_owned)),
            None => {}
        }
    }
    types.iter().flat_map(|types| types.split(',')).any(|one| matches!(one, "rlib" | "lib" | "dylib" | "staticlib")).then_some(
        "a crate with `export!` is a component and nothing else: write `[lib] crate-type = [\"cdylib\"]` in Cargo.toml, \
         and move what other crates share into a library crate without `export!`",
    )
}

#[cfg(test)]
mod tests {
    use super::mistake;

    #[test]
    fn only_cdylib_is_right() {
        let cases: [(&[&str], bool); 6] = [
            (&["--crate-type", "cdylib"], true),
            (&["--crate-type=cdylib"], true),
            (&["--test"], true),
            (&["--crate-type", "cdylib", "--crate-type", "rlib"], false),
            (&["--crate-type", "cdylib,rlib"], false),
            (&["--crate-type=lib"], false),
        ];
        for (arguments, right) in cases {
            assert_eq!(mistake(arguments.iter().map(ToString::to_string)).is_none(), right, "{arguments:?}");
        }
    }
}
