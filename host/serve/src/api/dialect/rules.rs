//! The table of providers: what each takes of JSON Schema. A new one is a new row.

/// What one provider takes. References are always inlined and `allOf` merged, and no combinator stands at the root.
pub(super) struct Rules {
    /// The name in `?for=`.
    pub(super) name: &'static str,
    /// Keywords that are known there; `None`: others are ignored, so that nothing has to be left out.
    pub(super) keywords: Option<&'static [&'static str]>,
    /// Values of `format` that are known there; `None` as above.
    pub(super) formats: Option<&'static [&'static str]>,
    /// Whether `oneOf` is known; otherwise it becomes `anyOf`.
    pub(super) one_of: bool,
    /// Whether `anyOf` stands alone: what is beside it goes into the alternatives.
    pub(super) lone_any_of: bool,
    /// How a value that may be `null`, or of several types, is told.
    pub(super) several_types: SeveralTypes,
    /// Whether each schema has a `type`: it is then inferred, and `const` becomes an `enum`.
    pub(super) typed: bool,
    /// Whether an `enum` is of strings alone.
    pub(super) text_enums: bool,
    /// Whether every property is required; one that may be left out then takes `null`.
    pub(super) all_required: bool,
    /// Whether objects are told closed by `additionalProperties: false`.
    pub(super) closed: bool,
    /// Whether an object at the root always has `properties`.
    pub(super) empty_properties: bool,
    /// Characters of a function's description.
    pub(super) description: Option<usize>,
    /// How deep schemas nest.
    pub(super) depth: usize,
    /// What describes a function that these rules cannot, which then is not `strict`.
    pub(super) otherwise: Option<&'static Rules>,
}

/// How a schema says that it takes values of several types.
#[derive(PartialEq, Eq)]
pub(super) enum SeveralTypes {
    /// `type` is a list.
    List,
    /// `nullable`, and `anyOf` for the rest.
    Nullable,
}

/// What everybody takes that knows JSON Schema at all.
pub(super) const PORTABLE: Rules = Rules {
    name: "portable",
    keywords: None,
    formats: None,
    one_of: true,
    lone_any_of: false,
    several_types: SeveralTypes::List,
    typed: false,
    text_enums: false,
    all_required: false,
    closed: true,
    empty_properties: true,
    description: None,
    depth: 64,
    otherwise: None,
};

const OPENAI: Rules = Rules { name: "openai", description: Some(1_024), ..PORTABLE };

pub(super) static DIALECTS: [Rules; 5] = [
    OPENAI,
    // "Structured outputs": every object closed, every property required.
    Rules {
        name: "openai-strict",
        keywords: Some(&[
            "type",
            "title",
            "description",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "anyOf",
            "enum",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems",
        ]),
        formats: Some(&["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
        one_of: false,
        typed: true,
        all_required: true,
        depth: 10,
        otherwise: Some(&OPENAI),
        ..OPENAI
    },
    Rules { name: "anthropic", ..PORTABLE },
    // The subset of OpenAPI 3.0 that function declarations are made of; any other member is an error there.
    Rules {
        name: "gemini",
        keywords: Some(&[
            "type",
            "format",
            "title",
            "description",
            "nullable",
            "enum",
            "items",
            "minItems",
            "maxItems",
            "properties",
            "required",
            "minProperties",
            "maxProperties",
            "minLength",
            "maxLength",
            "pattern",
            "anyOf",
            "minimum",
            "maximum",
        ]),
        formats: Some(&["date-time", "enum", "float", "double", "int32", "int64"]),
        one_of: false,
        lone_any_of: true,
        several_types: SeveralTypes::Nullable,
        typed: true,
        text_enums: true,
        closed: false,
        empty_properties: false,
        ..PORTABLE
    },
    // What llama.cpp makes a grammar of. It stops at patterns without anchors, so that there are none.
    Rules {
        name: "llama",
        keywords: Some(&[
            "type",
            "title",
            "description",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "format",
            "enum",
            "const",
            "anyOf",
            "oneOf",
            "default",
        ]),
        formats: Some(&["date", "time", "date-time", "uuid"]),
        ..PORTABLE
    },
];
