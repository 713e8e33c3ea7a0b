//! Every kind of content.

use hermes_tool::Content;
use hermes_tool::prelude::*;

/// A PNG of one red pixel.
const PIXEL: &[u8] = include_bytes!("../../../conformance/home/resources/conformance/static-binary.png");

/// Answers with a text.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answers with a picture.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_image_content() -> Output {
    Output::new().image("image/png", PIXEL)
}

/// Answers with a sound.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_audio_content() -> Output {
    Output::new().audio("audio/wav", silence())
}

/// Answers with a document.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_embedded_resource() -> Output {
    Output::new().content(document("test://embedded-resource", "text/plain", "This is an embedded resource content."))
}

/// Answers with a text, a picture and a document.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_multiple_content_types() -> Output {
    let json = r#"{"test":"data","value":123}"#;
    Output::new().text("Multiple content types test:").image("image/png", PIXEL).content(document(
        "test://mixed-content-resource",
        "application/json",
        json,
    ))
}

/// Always fails.
#[tool(toolset = "conformance", read_only)]
pub(crate) fn test_error_handling() -> Result<String> {
    Err(Error::failed("This tool intentionally returns an error for testing"))
}

fn document(uri: &str, mime: &str, text: &str) -> Content {
    Content::Embedded { uri: uri.to_owned(), mime: Some(mime.to_owned()), text: Some(text.to_owned()), data: None }
}

/// A WAV of eight silent samples: PCM, one channel, 8,000 a second, 8 bits each.
fn silence() -> Vec<u8> {
    let samples = [0x80_u8; 8];
    let mut wav = Vec::from(*b"RIFF");
    wav.extend(44_u32.to_le_bytes());
    wav.extend(*b"WAVEfmt ");
    wav.extend(16_u32.to_le_bytes());
    wav.extend([1_u16, 1].map(u16::to_le_bytes).concat());
    wav.extend([8_000_u32, 8_000].map(u32::to_le_bytes).concat());
    wav.extend([1_u16, 8].map(u16::to_le_bytes).concat());
    wav.extend(*b"data");
    wav.extend(8_u32.to_le_bytes());
    wav.extend(samples);
    wav
}
