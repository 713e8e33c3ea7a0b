//! `inspect`: what is in a file, or why it is none of ours.

use serde_json::json;

use crate::assert_ran;
use crate::support::{Place, core_component, echo};

#[test]
fn a_component_is_described() {
    let place = Place::new().file("weather.wasm", core_component("weather.wasm"));
    assert_ran!(place.run(&["inspect", "weather.wasm"]), @r#"
    exit 0
    ----- stdout
    weather.wasm ([SIZE] KB, [DIGEST])

    🌤 weather 0.1.0, toolset weather
      Get current weather for a location.
      asks for: http https://api.weatherapi.com GET, secret WEATHER_API_KEY
      arguments: {
        "type": "object",
        "properties": {
          "location": {
            "type": "string",
            "description": "City name or coordinates, such as `London` or `51.5,-0.1`"
          },
          "units": {
            "type": "string",
            "enum": [
              "metric",
              "imperial"
            ],
            "description": "Temperature units",
            "default": "metric"
          }
        },
        "required": [
          "location"
        ],
        "additionalProperties": false
      }
      kind: "tool"
      annotations: {
        "read_only": true,
        "destructive": true,
        "idempotent": false,
        "open_world": true
      }
      requires_env: [
        {
          "name": "WEATHER_API_KEY",
          "description": "Weather API key",
          "url": "https://weatherapi.com/",
          "password": true
        }
      ]
      is_async: true
    ----- stderr
    "#);
}

/// Once it said only that there is no such file.
#[test]
fn a_tool_that_is_named_instead_of_its_file_is_shown_to_be_elsewhere() {
    let place = Place::new().plugin("echo.wasm", &echo(json!({})));
    assert_ran!(place.run(&["inspect", "echo"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: echo: No such file or directory (os error 2)
    hint: there is a tool `echo`: hermes-host inspect [PLACE]/home/.hermes-host/plugins/echo.wasm
    ");
    assert_ran!(place.run(&["inspect", "ecko"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: ecko: No such file or directory (os error 2)
    hint: there is a tool `echo`: hermes-host inspect [PLACE]/home/.hermes-host/plugins/echo.wasm
    ");
    assert_ran!(place.run(&["inspect", "weather"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: weather: No such file or directory (os error 2)
    hint: there is a tool `weather` in the host's own binary: hermes-host list --json and hermes-host explain weather tell of it
    ");
    assert_ran!(place.run(&["inspect", "./echo"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: ./echo: No such file or directory (os error 2)
    ");
}

#[test]
fn what_is_no_tool_says_what_it_is_and_what_to_do() {
    let place = Place::new()
        .file("empty.wasm", "")
        .file("text.wasm", "#!/bin/sh\n")
        .file("module.wasm", b"\0asm\x01\0\0\0")
        .file("bare.wasm", b"\0asm\x0d\0\x01\0")
        .file("zip.wasm", b"\x1f\x8b\x08\0\0\0\0\0")
        .file("half.wasm", &guest_artifacts::HELPER[..5000]);
    for file in ["empty", "text", "module", "bare", "zip", "half", "none"] {
        let ran = place.run(&["inspect", &format!("{file}.wasm")]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{file}: {ran}");
        // How large a component is depends on where it was built.
        insta::with_settings!({filters => vec![(r"\d+ more bytes", "[N] more bytes")]}, {
            insta::assert_snapshot!(format!("inspect_{file}"), ran.stderr);
        });
    }
}
