//! The one line that makes a crate a component.

/// Makes the component of these tools: exports, table, and the section with their manifests in this order.
///
/// Once in a crate, which is `crate-type = ["cdylib"]` and nothing else. Tools of a library crate, which has no `export!`,
/// are named by path: `export!(mine, library::theirs)`.
#[macro_export]
macro_rules! export {
    ($($tool:path),+ $(,)?) => {
        const _: () = {
            $crate::__private::refuse_twins(&[$(<$tool as $crate::Tool>::NAME),+]);
            #[allow(dead_code, reason = "natively nothing calls it")]
            static TOOLS: &[$crate::__private::Entry] = &[$($crate::__private::Entry::new::<$tool>({
                const FACE: &[$crate::__private::Node] = &[<$tool as $crate::Tool>::FACE];
                const BYTES: [u8; $crate::__private::stream_len(FACE)] = $crate::__private::stream(FACE);
                $crate::__private::text(&BYTES)
            })),+];

            #[cfg(target_family = "wasm")]
            const _: () = {
                $crate::__private::require_cdylib!();

                const MANIFESTS: &[$crate::__private::Node] = &[$(<$tool as $crate::Tool>::MANIFEST),+];
                $crate::__section!(MANIFESTS);

                struct Component;

                impl $crate::bindings::tool::exports::hermes::tool::tool::Guest for Component {
                    fn schema(tool: $crate::__private::String) -> $crate::__private::String {
                        $crate::__private::glue::schema(TOOLS, &tool)
                    }

                    fn check(tool: $crate::__private::String) -> $crate::__private::Result<(), $crate::__private::String> {
                        $crate::__private::glue::check(TOOLS, &tool)
                    }

                    fn handle(
                        call: $crate::bindings::tool::hermes::tool::types::Call,
                        args: $crate::__private::String,
                    ) -> $crate::__private::Result<
                        $crate::bindings::tool::hermes::tool::types::Outcome,
                        $crate::bindings::tool::hermes::tool::types::Failure,
                    > {
                        $crate::__private::glue::handle(TOOLS, call, &args)
                    }
                }

                $crate::bindings::tool::__export_tool!(Component with_types_in $crate::bindings::tool);
            };
        };
    };
}

/// Makes the component of one hook, a type that implements [`Hook`](crate::Hook). As with [`export!`](crate::export), once
/// in a crate, which is `crate-type = ["cdylib"]` and nothing else.
#[macro_export]
macro_rules! export_hook {
    ($hook:path) => {
        const _: () = {
            #[allow(dead_code, reason = "natively nothing calls it")]
            const MANIFESTS: &[$crate::__private::Node] = &[<$hook as $crate::HookManifest>::MANIFEST];

            #[cfg(target_family = "wasm")]
            const _: () = {
                $crate::__private::require_cdylib!();
                $crate::__section!(MANIFESTS);

                struct Component;

                impl $crate::bindings::hook::exports::hermes::hook::hook::Guest for Component {
                    fn before(
                        call: $crate::bindings::tool::hermes::tool::types::Call,
                        args: $crate::__private::String,
                    ) -> $crate::__private::Result<
                        $crate::bindings::hook::exports::hermes::hook::hook::Decision,
                        $crate::__private::String,
                    > {
                        $crate::__private::glue::before::<$hook>(call, &args)
                    }

                    fn after(
                        call: $crate::bindings::tool::hermes::tool::types::Call,
                        args: $crate::__private::String,
                        ended: $crate::__private::Result<
                            $crate::bindings::tool::hermes::tool::types::Outcome,
                            $crate::bindings::tool::hermes::tool::types::Failure,
                        >,
                        elapsed_ms: u32,
                    ) -> $crate::__private::Result<
                        $crate::__private::Option<
                            $crate::__private::Result<
                                $crate::bindings::tool::hermes::tool::types::Outcome,
                                $crate::bindings::tool::hermes::tool::types::Failure,
                            >,
                        >,
                        $crate::__private::String,
                    > {
                        $crate::__private::glue::after::<$hook>(call, &args, ended, elapsed_ms)
                    }
                }

        $crate::bindings::hook::__export_hook!(Component with_types_in $crate::bindings::hook);
            };
        };
    };
}

/// The section with the manifests. One static for all: the linker orders statics as it likes.
#[doc(hidden)]
#[macro_export]
macro_rules! __section {
    ($manifests:ident) => {
        #[unsafe(link_section = "hermes:tool")]
        static SECTION: [u8; $crate::__private::stream_len($manifests)] = $crate::__private::stream($manifests);
    };
}

/// Writes a line to the call's log: `log!("{n} pages")`, or with a level `log!(warn, "slow: {ms} ms")`.
///
/// Levels are `debug`, `info` (the default), `warn` and `error`.
#[macro_export]
macro_rules! log {
    (debug, $($text:tt)+) => { $crate::progress::log($crate::progress::Level::Debug, &::std::format!($($text)+)) };
    (info, $($text:tt)+) => { $crate::progress::log($crate::progress::Level::Info, &::std::format!($($text)+)) };
    (warn, $($text:tt)+) => { $crate::progress::log($crate::progress::Level::Warn, &::std::format!($($text)+)) };
    (error, $($text:tt)+) => { $crate::progress::log($crate::progress::Level::Error, &::std::format!($($text)+)) };
    ($($text:tt)+) => { $crate::progress::log($crate::progress::Level::Info, &::std::format!($($text)+)) };
}
