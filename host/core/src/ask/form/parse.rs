//! Reads a schema as a form.

use serde_json::{Map, Value};

use super::{Choice, Field, FieldKind, Form, FormError, Format, token, whole};

/// Most bytes of a form's schema.
const MAX_SCHEMA: usize = 64 << 10;
/// Most bytes of a form's message.
const MAX_MESSAGE: usize = 16 << 10;
/// Most fields of a form.
const MAX_FIELDS: usize = 64;
/// Most choices of a field.
const MAX_CHOICES: usize = 256;

impl Form {
    /// Reads `schema`, JSON Schema as text.
    ///
    /// # Errors
    ///
    /// When it is anything but a flat object of the fields that [`FieldKind`] lists, or larger than a person would read.
    pub fn parse(message: &str, schema: &str) -> Result<Self, FormError> {
        if message.len() > MAX_MESSAGE {
            return Err(error("", format!("its message is longer than {MAX_MESSAGE} bytes")));
        }
        if schema.len() > MAX_SCHEMA {
            return Err(error("", format!("it is longer than {MAX_SCHEMA} bytes")));
        }
        let schema: Value = serde_json::from_str(schema).map_err(|cause| error("", format!("no JSON: {cause}")))?;
        let root = Node::new(&schema, String::new())?;
        root.only(&["$schema", "type", "title", "description", "properties", "required", "additionalProperties"])?;
        if root.text("type")? != Some("object") {
            return Err(error("/type", "expected `object`"));
        }
        let properties = match root.map.get("properties") {
            Some(Value::Object(properties)) => properties,
            _ => return Err(error("/properties", "expected an object of fields")),
        };
        if properties.len() > MAX_FIELDS {
            return Err(error("/properties", format!("more than {MAX_FIELDS} fields")));
        }
        let required = root.texts("required")?.unwrap_or_default();
        if let Some(at) = required.iter().position(|name| !properties.contains_key(name)) {
            return Err(error(format!("/required/{at}"), "there is no such field"));
        }
        let fields = properties.iter().map(|(name, value)| {
            let node = Node::new(value, format!("/properties/{}", token(name)))?;
            node.field(name, required.contains(name))
        });
        Ok(Self { message: message.to_owned(), fields: fields.collect::<Result<_, _>>()?, schema })
    }
}

/// An object in the schema, and where it is.
struct Node<'a> {
    map: &'a Map<String, Value>,
    at: String,
}

impl<'a> Node<'a> {
    fn new(value: &'a Value, at: String) -> Result<Self, FormError> {
        match value {
            Value::Object(map) => Ok(Self { map, at }),
            _ => Err(error(at, "expected an object")),
        }
    }

    fn error(&self, key: &str, message: impl Into<String>) -> FormError {
        error(format!("{}/{}", self.at, token(key)), message)
    }

    fn only(&self, keys: &[&str]) -> Result<(), FormError> {
        match self.map.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(key) => Err(self.error(key, format!("not allowed in a form; here may be {}", keys.join(", ")))),
            None => Ok(()),
        }
    }

    fn text(&self, key: &str) -> Result<Option<&'a str>, FormError> {
        match self.map.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.error(key, "expected a string")),
        }
    }

    fn texts(&self, key: &str) -> Result<Option<Vec<String>>, FormError> {
        let Some(value) = self.map.get(key) else { return Ok(None) };
        let texts =
            value.as_array().and_then(|list| list.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        texts.map(Some).ok_or_else(|| self.error(key, "expected a list of strings"))
    }

    fn read<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, FormError> {
        let Some(value) = self.map.get(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.error(key, format!("expected {expected}")))
    }

    fn field(&self, name: &str, required: bool) -> Result<Field, FormError> {
        let field = Field {
            name: name.to_owned(),
            title: self.text("title")?.map(str::to_owned),
            description: self.text("description")?.map(str::to_owned),
            required,
            kind: self.kind()?,
            default: self.map.get("default").cloned(),
        };
        if let Some(default) = &field.default
            && let Err(message) = field.kind.fits(default)
        {
            return Err(self.error("default", message));
        }
        Ok(field)
    }

    fn kind(&self) -> Result<FieldKind, FormError> {
        const EXPECTED: &str = "expected `string`, `number`, `integer`, `boolean` or `array`";
        match self.text("type")? {
            Some("string") if self.map.contains_key("enum") || self.map.contains_key("oneOf") => {
                self.only_and(&["enum", "enumNames", "oneOf"])?;
                Ok(FieldKind::Choice(self.choices("oneOf")?))
            }
            Some("string") => {
                self.only_and(&["format", "minLength", "maxLength"])?;
                let known = |value: &Value| Format::ALL.into_iter().find(|format| value == format.as_str());
                Ok(FieldKind::Text {
                    format: self.read("format", "`email`, `uri`, `date` or `date-time`", known)?,
                    min: self.count("minLength")?,
                    max: self.count("maxLength")?,
                })
            }
            Some("number") => {
                self.only_and(&["minimum", "maximum"])?;
                Ok(FieldKind::Number {
                    min: self.read("minimum", "a number", Value::as_f64)?,
                    max: self.read("maximum", "a number", Value::as_f64)?,
                })
            }
            Some("integer") => {
                self.only_and(&["minimum", "maximum"])?;
                Ok(FieldKind::Integer {
                    min: self.read("minimum", "an integer", whole)?,
                    max: self.read("maximum", "an integer", whole)?,
                })
            }
            Some("boolean") => self.only_and(&[]).map(|()| FieldKind::Flag),
            Some("array") => {
                self.only_and(&["items", "minItems", "maxItems", "uniqueItems"])?;
                let items = self.map.get("items").ok_or_else(|| self.error("items", "expected the choices"))?;
                let items = Node::new(items, format!("{}/items", self.at))?;
                items.only(&["type", "enum", "enumNames", "anyOf", "oneOf"])?;
                if items.text("type")?.is_some_and(|kind| kind != "string") {
                    return Err(items.error("type", "expected `string`"));
                }
                let titled = if items.map.contains_key("oneOf") { "oneOf" } else { "anyOf" };
                Ok(FieldKind::Choices {
                    from: items.choices(titled)?,
                    min: self.count("minItems")?,
                    max: self.count("maxItems")?,
                })
            }
            _ => Err(self.error("type", EXPECTED)),
        }
    }

    /// The keys of every field, and those of one kind.
    fn only_and(&self, keys: &[&str]) -> Result<(), FormError> {
        self.only(&[&["type", "title", "description", "default"], keys].concat())
    }

    fn count(&self, key: &str) -> Result<Option<u64>, FormError> {
        self.read(key, "a whole number from 0", Value::as_u64)
    }

    /// Plain values with `enum`, titled by `enumNames`, or pairs of `const` and `title` under the key `titled`.
    fn choices(&self, titled: &str) -> Result<Vec<Choice>, FormError> {
        let choices = match (self.texts("enum")?, self.map.get(titled)) {
            (Some(values), None) => {
                let titles = self.texts("enumNames")?;
                if titles.as_ref().is_some_and(|titles| titles.len() != values.len()) {
                    return Err(self.error("enumNames", "expected as many names as values"));
                }
                let mut titles = titles.into_iter().flatten();
                values.into_iter().map(|value| Choice { value, title: titles.next() }).collect()
            }
            (None, Some(Value::Array(pairs))) => {
                let pairs = pairs.iter().enumerate().map(|(at, pair)| {
                    let pair = Node::new(pair, format!("{}/{titled}/{at}", self.at))?;
                    pair.only(&["const", "title"])?;
                    let value = pair.text("const")?.ok_or_else(|| pair.error("const", "expected a string"))?;
                    Ok(Choice { value: value.to_owned(), title: pair.text("title")?.map(str::to_owned) })
                });
                pairs.collect::<Result<Vec<_>, _>>()?
            }
            (None, None) => return Err(self.error("enum", "expected the choices")),
            (_, Some(_)) => return Err(self.error(titled, "expected either `enum` or a list of `const` and `title`")),
        };
        let key = if self.map.contains_key("enum") { "enum" } else { titled };
        let twice = || choices.iter().enumerate().any(|(at, a)| choices.iter().take(at).any(|b| a.value == b.value));
        match choices.len() {
            0 => Err(self.error(key, "expected at least one choice")),
            count if count > MAX_CHOICES => Err(self.error(key, format!("more than {MAX_CHOICES} choices"))),
            _ if twice() => Err(self.error(key, "the same choice twice")),
            _ => Ok(choices),
        }
    }
}

fn error(pointer: impl Into<String>, message: impl Into<String>) -> FormError {
    FormError { pointer: pointer.into(), message: message.into() }
}
