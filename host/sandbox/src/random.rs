//! `wasi:random` within the call's limit of random bytes.

use hermes_core::LimitKind;
use wasmtime::component::HasData;
use wasmtime_wasi::p2::bindings::random::{insecure, insecure_seed, random};
use wasmtime_wasi::random::WasiRandomCtx;

use crate::limits::Exceeded;

/// Wasmtime's generators and what is left of the limit.
pub(crate) struct Random<'a> {
    pub(crate) inner: &'a mut WasiRandomCtx,
    pub(crate) left: &'a mut u64,
}

impl HasData for Random<'static> {
    type Data<'a> = Random<'a>;
}

impl Random<'_> {
    fn take(&mut self, bytes: u64) -> Result<(), Exceeded> {
        let left = self.left.checked_sub(bytes);
        *self.left = left.ok_or_else(|| Exceeded {
            kind: LimitKind::Random,
            detail: format!("{bytes} random bytes were asked for with {} left", self.left),
        })?;
        Ok(())
    }
}

impl random::Host for Random<'_> {
    fn get_random_bytes(&mut self, len: u64) -> wasmtime::Result<Vec<u8>> {
        self.take(len)?;
        random::Host::get_random_bytes(self.inner, len)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.take(8)?;
        random::Host::get_random_u64(self.inner)
    }
}

impl insecure::Host for Random<'_> {
    fn get_insecure_random_bytes(&mut self, len: u64) -> wasmtime::Result<Vec<u8>> {
        self.take(len)?;
        insecure::Host::get_insecure_random_bytes(self.inner, len)
    }

    fn get_insecure_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.take(8)?;
        insecure::Host::get_insecure_random_u64(self.inner)
    }
}

impl insecure_seed::Host for Random<'_> {
    fn insecure_seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        insecure_seed::Host::insecure_seed(self.inner)
    }
}
