use hermes_tool::prelude::*;

#[derive(ToolArgs)]
struct Tree {
    children: Vec<Tree>,
}

fn main() {}
