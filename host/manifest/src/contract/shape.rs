//! The shape of an interface: one line a function and one a type within it, such as `handle/call/id: string`.

use std::fmt;

use wasmparser::component_types::{
    ComponentDefinedType, ComponentEntityType, ComponentFuncTypeId, ComponentInstanceTypeId, ComponentValType,
};
use wasmparser::types::TypesRef;

/// The first place where an interface differs from the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at `{path}`, expected {expected} and found {found}")]
pub struct Mismatch {
    /// The function, and the way to the type within it.
    pub path: String,
    /// What the contract has there.
    pub expected: String,
    /// What the component has there.
    pub found: String,
}

/// Compares an instance's functions with `expected`. Other items of the instance are of no concern.
///
/// The walk stops at the first difference, so it is as long as `expected`, however big the component's types are.
pub(super) fn compare(types: TypesRef<'_>, instance: ComponentInstanceTypeId, expected: &str) -> Result<(), Mismatch> {
    let mut lines = Lines { rest: expected.lines() };
    while let Some(function) = lines.function() {
        let item = types.get(instance).and_then(|instance| instance.exports.get(function));
        match item.map(|item| item.ty) {
            Some(ComponentEntityType::Func(id)) => Walk { types, lines: &mut lines }.function(function, id)?,
            _ => lines.expect(function, "nothing")?,
        }
    }
    Ok(())
}

/// What is still expected.
struct Lines<'a> {
    rest: std::str::Lines<'a>,
}

impl<'a> Lines<'a> {
    /// The function that is due next.
    fn function(&self) -> Option<&'a str> {
        self.rest.clone().next().and_then(|line| line.split_once(": ")).map(|(path, _)| path)
    }

    fn expect(&mut self, path: &str, found: &str) -> Result<(), Mismatch> {
        let (due, expected) = self.rest.next().and_then(|line| line.split_once(": ")).unwrap_or((path, "nothing"));
        if (due, expected) == (path, found) {
            return Ok(());
        }
        Err(Mismatch { path: path.to_owned(), expected: expected.to_owned(), found: found.to_owned() })
    }
}

struct Walk<'a, 'e, 'l> {
    types: TypesRef<'a>,
    lines: &'l mut Lines<'e>,
}

impl Walk<'_, '_, '_> {
    fn function(&mut self, path: &str, id: ComponentFuncTypeId) -> Result<(), Mismatch> {
        let Some(function) = self.types.get(id) else { return self.lines.expect(path, "nothing") };
        let asynchronous = if function.async_ { "async " } else { "" };
        let parameters = braced(function.params.iter().map(|(name, _)| name));
        let result = if function.result.is_some() { " -> _" } else { "" };
        self.lines.expect(path, &format!("{asynchronous}func{parameters}{result}"))?;
        for (name, parameter) in &function.params {
            self.value(&format!("{path}/{name}"), *parameter)?;
        }
        function.result.map_or(Ok(()), |result| self.value(&format!("{path}/->"), result))
    }

    fn value(&mut self, path: &str, value: ComponentValType) -> Result<(), Mismatch> {
        let id = match value {
            ComponentValType::Primitive(primitive) => return self.lines.expect(path, &primitive.to_string()),
            ComponentValType::Type(id) => id,
        };
        let Some(defined) = self.types.get(id) else { return self.lines.expect(path, "nothing") };
        match defined {
            ComponentDefinedType::Primitive(primitive) => self.lines.expect(path, &primitive.to_string()),
            ComponentDefinedType::Record(record) => {
                self.lines.expect(path, &format!("record{}", braced(record.fields.keys())))?;
                record.fields.iter().try_for_each(|(name, field)| self.value(&format!("{path}/{name}"), *field))
            }
            ComponentDefinedType::Variant(variant) => {
                let cases = variant.cases.iter().map(|(name, case)| case_name(name, case.ty.is_some()));
                self.lines.expect(path, &format!("variant{}", braced(cases)))?;
                variant.cases.iter().try_for_each(|(name, case)| self.optional(&format!("{path}/{name}"), case.ty))
            }
            ComponentDefinedType::List { element, .. } => {
                self.lines.expect(path, "list")?;
                self.value(&format!("{path}/item"), *element)
            }
            ComponentDefinedType::Tuple(tuple) => {
                self.lines.expect(path, &format!("tuple of {}", tuple.types.len()))?;
                let mut members = tuple.types.iter().enumerate();
                members.try_for_each(|(index, member)| self.value(&format!("{path}/{index}"), *member))
            }
            ComponentDefinedType::Flags(names) => self.lines.expect(path, &format!("flags{}", braced(names))),
            ComponentDefinedType::Enum(names) => self.lines.expect(path, &format!("enum{}", braced(names))),
            ComponentDefinedType::Option { ty, .. } => {
                self.lines.expect(path, "option")?;
                self.value(&format!("{path}/some"), *ty)
            }
            ComponentDefinedType::Result { ok, err, .. } => {
                let cases = [case_name("ok", ok.is_some()), case_name("err", err.is_some())];
                self.lines.expect(path, &format!("result{}", braced(cases)))?;
                self.optional(&format!("{path}/ok"), *ok)?;
                self.optional(&format!("{path}/err"), *err)
            }
            ComponentDefinedType::Map { .. } => self.lines.expect(path, "map"),
            ComponentDefinedType::FixedLengthList { .. } => self.lines.expect(path, "list of fixed length"),
            ComponentDefinedType::Own(_) => self.lines.expect(path, "owned resource"),
            ComponentDefinedType::Borrow(_) => self.lines.expect(path, "borrowed resource"),
            ComponentDefinedType::Future { .. } => self.lines.expect(path, "future"),
            ComponentDefinedType::Stream { .. } => self.lines.expect(path, "stream"),
        }
    }

    fn optional(&mut self, path: &str, value: Option<ComponentValType>) -> Result<(), Mismatch> {
        value.map_or(Ok(()), |value| self.value(path, value))
    }
}

/// A case of a variant or result; `(_)` marks one with a payload.
pub(super) fn case_name(name: impl fmt::Display, payload: bool) -> String {
    format!("{name}{}", if payload { "(_)" } else { "" })
}

/// Names in braces, in the order that counts on the wire.
pub(super) fn braced(names: impl IntoIterator<Item = impl fmt::Display>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    format!("{{{}}}", names.join(", "))
}
