//! What an author reads who made a mistake. `TRYBUILD=overwrite` accepts new texts.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
