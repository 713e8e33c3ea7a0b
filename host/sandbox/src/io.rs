//! `wasi:io`: wasmtime's, but for the text of errors.

use wasmtime::component::{HasData, Resource, ResourceTable};
use wasmtime_wasi_io::bindings::wasi::io::error;

/// The table as `wasi:io/poll` and `wasi:io/streams` want it.
pub(crate) struct HasTable;

impl HasData for HasTable {
    type Data<'a> = &'a mut ResourceTable;
}

/// Errors of streams. With `RUST_BACKTRACE` set in the host's environment, wasmtime's own would hand a guest the host's backtrace.
pub(crate) struct Errors<'a>(pub(crate) &'a mut ResourceTable);

impl HasData for Errors<'static> {
    type Data<'a> = Errors<'a>;
}

impl error::Host for Errors<'_> {}

impl error::HostError for Errors<'_> {
    fn to_debug_string(&mut self, error: Resource<wasmtime::Error>) -> wasmtime::Result<String> {
        // The alternate form is the messages of the chain, without a backtrace.
        Ok(format!("{:#}", self.0.get(&error)?))
    }

    fn drop(&mut self, error: Resource<wasmtime::Error>) -> wasmtime::Result<()> {
        self.0.delete(error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wasmtime::error::Context as _;

    use super::*;

    #[test]
    fn a_guest_sees_the_messages_of_an_error_and_no_backtrace() {
        let mut table = ResourceTable::new();
        let failed: wasmtime::Result<()> = Err(std::io::Error::other("the disk is gone").into());
        let error = failed.context("writing").expect_err("an error");
        let error = table.push(error).expect("a place");
        let text = error::HostError::to_debug_string(&mut Errors(&mut table), error).expect("a text");
        assert_eq!(text, "writing: the disk is gone");
    }
}
