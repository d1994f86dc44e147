//! The macros that make a crate a plugin.

/// Makes this crate a bridge.
///
/// `handle` is a `fn(&Call, Input) -> Result<Output, Error>`. `examples` are
/// paths of case files, relative to the file with the macro; each must have
/// `input` and `output`, and is published with the bridge.
///
/// `init` is a `fn()` that runs once, when the plugin is built, and prepares [`Ready`](crate::Ready)
/// values; each call starts with these values.
///
/// ```text
/// tollbridge_sdk::bridge! { handle: handle, init: prepare, examples: ["../cases/spike.json"] }
/// ```
#[macro_export]
macro_rules! bridge {
    (handle: $function:path $(, init: $init:path)? $(, examples: [$($example:literal),* $(,)?])? $(,)?) => {
        // `tollbridge` builds all plugins of an author into one target folder. Cargo does not
        // distinguish plugins of the same name, but it does track this environment variable.
        const _: ::std::option::Option<&str> = ::std::option_env!("TOLLBRIDGE_PROJECT");

        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::bridge as contract;

            struct Plugin;

            impl contract::Guest for Plugin {
                fn describe() -> contract::Description {
                    $crate::guest::describe_bridge($function, &[$($(::std::include_str!($example)),*)?]).into()
                }

                fn handle(call: contract::Call, input: ::std::vec::Vec<u8>) -> ::std::result::Result<::std::vec::Vec<u8>, contract::Error> {
                    $crate::guest::handle($function, &call.into(), &input).map_err(::std::convert::Into::into)
                }
            }

            contract::export!(Plugin with_types_in contract);
            $($crate::export_init!(Plugin, $init);)?
        };

        // A native test build performs the same checks: the function's signature and the
        // examples.
        #[cfg(all(test, not(target_family = "wasm")))]
        #[test]
        fn describes_itself() {
            let description = $crate::guest::describe_bridge($function, &[$($(::std::include_str!($example)),*)?]);
            $crate::testing::assert_examples(&description);
            $($crate::guest::init($init);)?
        }

        #[cfg(not(any(test, target_family = "wasm")))]
        const _: fn() = || {
            $($crate::guest::init($init);)?
            $crate::guest::describe_bridge($function, &[]);
        };
    };
}

/// Makes this crate an agent.
///
/// `run` is a `fn(&Call, &str, Option<Input>) -> Result<Output, Error>`; the text is the task.
/// `init` and `examples` have the same meaning as in [`bridge!`].
///
/// ```text
/// tollbridge_sdk::agent! { run: run, examples: ["../cases/forecast.json"] }
/// ```
#[macro_export]
macro_rules! agent {
    (run: $function:path $(, init: $init:path)? $(, examples: [$($example:literal),* $(,)?])? $(,)?) => {
        // `tollbridge` builds all plugins of an author into one target folder. Cargo does not
        // distinguish plugins of the same name, but it does track this environment variable.
        const _: ::std::option::Option<&str> = ::std::option_env!("TOLLBRIDGE_PROJECT");

        #[cfg(target_family = "wasm")]
        const _: () = {
            use $crate::bindings::agent as contract;

            struct Plugin;

            impl contract::Guest for Plugin {
                fn describe() -> contract::Description {
                    $crate::guest::describe_agent($function, &[$($(::std::include_str!($example)),*)?]).into()
                }

                fn run(
                    call: contract::Call,
                    task: ::std::string::String,
                    input: ::std::option::Option<::std::vec::Vec<u8>>,
                ) -> ::std::result::Result<::std::vec::Vec<u8>, contract::Error> {
                    $crate::guest::run($function, &call.into(), &task, input.as_deref()).map_err(::std::convert::Into::into)
                }
            }

            contract::export!(Plugin with_types_in contract);
            $($crate::export_init!(Plugin, $init);)?
        };

        #[cfg(all(test, not(target_family = "wasm")))]
        #[test]
        fn describes_itself() {
            let description = $crate::guest::describe_agent($function, &[$($(::std::include_str!($example)),*)?]);
            $crate::testing::assert_examples(&description);
            $($crate::guest::init($init);)?
        }

        #[cfg(not(any(test, target_family = "wasm")))]
        const _: fn() = || {
            $($crate::guest::init($init);)?
            $crate::guest::describe_agent($function, &[]);
        };
    };
}

/// Exports a plugin's `init`, which prepares it at build time; used by `bridge!` and `agent!`.
#[doc(hidden)]
#[macro_export]
macro_rules! export_init {
    ($plugin:ident, $init:path) => {
        use $crate::bindings::init;

        impl init::Guest for $plugin {
            fn init() {
                $crate::guest::init($init);
            }
        }

        init::export!($plugin with_types_in init);
    };
}

/// Defines a test that runs every case in the plugin's folder `cases/`.
///
/// `test_cases!(handle)` for a bridge, `test_cases!(agent run)` for an agent.
#[macro_export]
macro_rules! test_cases {
    (agent $function:path) => {
        #[cfg(all(test, not(target_family = "wasm")))]
        #[test]
        fn cases() {
            $crate::testing::run_agent_cases(::std::concat!(::std::env!("CARGO_MANIFEST_DIR"), "/cases"), $function);
        }
    };
    ($function:path) => {
        #[cfg(all(test, not(target_family = "wasm")))]
        #[test]
        fn cases() {
            $crate::testing::run_cases(::std::concat!(::std::env!("CARGO_MANIFEST_DIR"), "/cases"), $function);
        }
    };
}
