//! The documented example: typed arguments, a secret, one HTTP destination, and tests that run natively.

use hermes_tool::prelude::*;
use serde_json::Value;

/// Arguments of the weather tool.
#[derive(ToolArgs)]
struct Place {
    /// City name or coordinates, such as `London` or `51.5,-0.1`
    location: String,
    /// Temperature units
    #[arg(default = "metric")]
    units: Units,
}

#[derive(ToolArgs)]
enum Units {
    Metric,
    Imperial,
}

/// Get current weather for a location.
#[tool(
    toolset = "weather", emoji = "🌤", read_only,
    requires_env(WEATHER_API_KEY(description = "Weather API key", url = "https://weatherapi.com/", password)),
    http = ["https://api.weatherapi.com GET"],
)]
async fn weather(place: Place) -> Result<Json<Value>> {
    let key = secret("WEATHER_API_KEY")?;
    let mut report: Json<Value> = http::get("https://api.weatherapi.com/v1/current.json")
        .query("q", &place.location)
        .query("key", &key)
        .json()
        .await?;
    if let Some(current) = report.pointer_mut("/current").and_then(Value::as_object_mut) {
        current.retain(|name, _| place.units.keep(name));
    }
    Ok(report)
}

impl Units {
    /// Whether a measurement is in these units; the service answers in both.
    fn keep(&self, measurement: &str) -> bool {
        let others: &[&str] = match self {
            Self::Metric => &["_f", "_mph", "_in", "_miles"],
            Self::Imperial => &["_c", "_kph", "_mm", "_mb", "_km"],
        };
        !others.iter().any(|unit| measurement.ends_with(unit))
    }
}

hermes_tool::export!(weather);

#[cfg(test)]
mod tests {
    use hermes_tool::testing;
    use serde_json::json;

    use super::*;

    /// A server that knows London, and a key for it.
    fn london() {
        testing::secrets([("WEATHER_API_KEY", "k&y")]);
        testing::http(|request| {
            assert_eq!(request.method(), "GET");
            assert_eq!(request.url(), "https://api.weatherapi.com/v1/current.json?q=London&key=k%26y");
            http::Response::ok_json(json!({
                "location": { "name": "London" },
                "current": { "temp_c": 11.0, "temp_f": 51.8, "wind_kph": 9.0, "wind_mph": 5.6, "humidity": 81 },
            }))
        });
    }

    #[test]
    fn a_place_has_weather_in_the_units_asked_for() {
        london();
        let cases = [
            (json!({ "location": "London" }), json!({ "temp_c": 11.0, "wind_kph": 9.0, "humidity": 81 })),
            (
                json!({ "location": "London", "units": "imperial" }),
                json!({ "temp_f": 51.8, "wind_mph": 5.6, "humidity": 81 }),
            ),
        ];
        for (arguments, current) in cases {
            let outcome = testing::call::<weather>(arguments).unwrap();
            assert_eq!(outcome.structured().unwrap()["current"], current);
        }
    }

    #[test]
    fn without_a_key_it_is_unavailable() {
        let error = testing::call::<weather>(json!({ "location": "London" })).unwrap_err();
        assert_eq!(error, Error::unavailable("the secret WEATHER_API_KEY is not set"));
    }

    #[test]
    fn wrong_arguments_are_named() {
        let error = testing::call::<weather>(json!({ "location": "London", "units": "kelvin" })).unwrap_err();
        assert_eq!(error, Error::invalid("/units", "unknown variant `kelvin`, expected `metric` or `imperial`"));
    }

    #[test]
    fn a_failing_server_is_reported_without_the_key() {
        testing::secrets([("WEATHER_API_KEY", "s3cr3t")]);
        testing::http(|_| http::Response::new(500, "out of order"));
        let error = testing::call::<weather>(json!({ "location": "London" })).unwrap_err();
        assert_eq!(error, Error::failed("GET https://api.weatherapi.com/v1/current.json answered 500: out of order"));
    }
}
