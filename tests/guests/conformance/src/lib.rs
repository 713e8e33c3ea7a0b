//! The tools that MCP's conformance suite calls: names, arguments and results are the suite's.

mod content;
mod elicit;
mod input;
mod running;
mod trigger;

use content::{
    test_audio_content, test_embedded_resource, test_error_handling, test_image_content, test_multiple_content_types,
    test_simple_text,
};
use elicit::{
    test_elicitation, test_elicitation_sep1034_defaults, test_elicitation_sep1330_enums, test_sampling,
    test_streaming_elicitation,
};
use input::{
    test_input_required_result_capabilities, test_input_required_result_elicitation,
    test_input_required_result_list_roots, test_input_required_result_multi_round,
    test_input_required_result_multiple_inputs, test_input_required_result_request_state,
    test_input_required_result_sampling, test_input_required_result_tampered_state,
};
use running::{test_logging_tool, test_missing_capability, test_tool_with_logging, test_tool_with_progress};
use trigger::{test_trigger_prompt_change, test_trigger_tool_change};

hermes_tool::export!(
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_error_handling,
    test_tool_with_logging,
    test_tool_with_progress,
    test_logging_tool,
    test_missing_capability,
    test_sampling,
    test_elicitation,
    test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums,
    test_streaming_elicitation,
    test_input_required_result_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_tampered_state,
    test_input_required_result_capabilities,
    test_trigger_tool_change,
    test_trigger_prompt_change,
);
