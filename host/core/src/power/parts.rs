//! A grant taken apart.

use hermes_manifest::{Capabilities, LimitSet, for_each_limit};

/// Each part of a grant as a grant of its own, in the order of kinds.
pub(super) fn parts(grant: &Capabilities) -> Vec<Capabilities> {
    let Capabilities { fs, http, env, secrets, tools, limits } = grant;
    let mut parts = Vec::new();
    parts.extend(fs.iter().map(|one| Capabilities { fs: vec![one.clone()], ..Capabilities::default() }));
    parts.extend(http.iter().map(|one| Capabilities { http: vec![one.clone()], ..Capabilities::default() }));
    parts.extend(env.iter().map(|one| Capabilities { env: vec![one.clone()], ..Capabilities::default() }));
    parts.extend(secrets.iter().map(|(name, terms)| Capabilities {
        secrets: [(name.clone(), terms.clone())].into(),
        ..Capabilities::default()
    }));
    parts.extend(tools.iter().map(|one| Capabilities { tools: [one.clone()].into(), ..Capabilities::default() }));
    parts.extend(single(limits).into_iter().map(|limits| Capabilities { limits, ..Capabilities::default() }));
    parts
}

macro_rules! single {
    ($($(#[$doc:meta])* $name:ident: $kind:ident($type:ty),)*) => {
        /// Each limit that has a value, alone.
        fn single(set: &LimitSet) -> Vec<LimitSet> {
            let mut all = Vec::new();
            $(if set.$name.is_some() {
                all.push(LimitSet { $name: set.$name, ..LimitSet::default() });
            })*
            all
        }
    };
}

for_each_limit!(single);
