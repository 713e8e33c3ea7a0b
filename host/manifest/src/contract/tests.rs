//! The checked-in shapes are those of `wit/`.

use std::path::Path;

use wit_parser::{Function, Resolve, Type, TypeDefKind};

use super::shape::{braced, case_name};
use super::{Contract, HOOK, TOOL};

struct Writer<'a> {
    resolve: &'a Resolve,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, path: &str, text: &str) {
        self.lines.push(format!("{path}: {text}\n"));
    }

    fn function(&mut self, function: &Function) {
        let path = &function.name;
        let result = if function.result.is_some() { " -> _" } else { "" };
        self.line(path, &format!("func{}{result}", braced(function.params.iter().map(|param| &param.name))));
        for param in &function.params {
            self.value(&format!("{path}/{}", param.name), &param.ty);
        }
        self.optional(&format!("{path}/->"), function.result.as_ref());
    }

    fn optional(&mut self, path: &str, ty: Option<&Type>) {
        if let Some(ty) = ty {
            self.value(path, ty);
        }
    }

    fn value(&mut self, path: &str, ty: &Type) {
        let id = match ty {
            Type::Id(id) => *id,
            Type::String => return self.line(path, "string"),
            Type::U8 => return self.line(path, "u8"),
            Type::U32 => return self.line(path, "u32"),
            Type::Bool => return self.line(path, "bool"),
            Type::F64 => return self.line(path, "f64"),
            other => panic!("{other:?} is new in the contract"),
        };
        let resolve = self.resolve;
        match &resolve.types[id].kind {
            TypeDefKind::Type(ty) => self.value(path, ty),
            TypeDefKind::Record(record) => {
                self.line(path, &format!("record{}", braced(record.fields.iter().map(|field| &field.name))));
                for field in &record.fields {
                    self.value(&format!("{path}/{}", field.name), &field.ty);
                }
            }
            TypeDefKind::Variant(variant) => {
                let cases = variant.cases.iter().map(|case| case_name(&case.name, case.ty.is_some()));
                self.line(path, &format!("variant{}", braced(cases)));
                for case in &variant.cases {
                    self.optional(&format!("{path}/{}", case.name), case.ty.as_ref());
                }
            }
            TypeDefKind::List(item) => {
                self.line(path, "list");
                self.value(&format!("{path}/item"), item);
            }
            TypeDefKind::Tuple(tuple) => {
                self.line(path, &format!("tuple of {}", tuple.types.len()));
                for (index, ty) in tuple.types.iter().enumerate() {
                    self.value(&format!("{path}/{index}"), ty);
                }
            }
            TypeDefKind::Option(ty) => {
                self.line(path, "option");
                self.value(&format!("{path}/some"), ty);
            }
            TypeDefKind::Result(result) => {
                let cases = [case_name("ok", result.ok.is_some()), case_name("err", result.err.is_some())];
                self.line(path, &format!("result{}", braced(cases)));
                self.optional(&format!("{path}/ok"), result.ok.as_ref());
                self.optional(&format!("{path}/err"), result.err.as_ref());
            }
            other => panic!("{other:?} is new in the contract"),
        }
    }
}

fn shape(contract: &Contract) -> String {
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    let mut resolve = Resolve::default();
    for package in ["progress", "secrets", "tools", "tool", "hook"] {
        resolve.push_dir(wit.join(package).join("0.1.0")).unwrap();
    }
    let name = format!("{}/{}@{}", contract.package, contract.interface, contract.version);
    let (id, _) = resolve.interfaces.iter().find(|(id, _)| resolve.id_of(*id).as_ref() == Some(&name)).unwrap();
    let mut writer = Writer { resolve: &resolve, lines: Vec::new() };
    for function in resolve.interfaces[id].functions.values() {
        writer.function(function);
    }
    writer.lines.concat()
}

#[test]
fn shapes_are_those_of_the_wit() {
    assert_eq!(TOOL.shape, shape(&TOOL), "tool");
    assert_eq!(HOOK.shape, shape(&HOOK), "hook");
}
