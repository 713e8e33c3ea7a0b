//! What leaves of a result: no secret, nothing that breaks its schema, and no more than a model reads.

use std::sync::Arc;

use hermes_manifest::Manifest;

use super::course::Course;
use super::step::Step;
use crate::call::{Content, Output};
use crate::limits::LimitKind;
use crate::outcome::Outcome;
use crate::registry::Entry;
use crate::results::{Budget, Keeper, Ways};
use crate::seen::Listing;

impl Course<'_> {
    /// Takes secrets out of how a call ended, and compares a result with its schema. One that does not fit is a failure, which hooks
    /// may still see.
    pub(super) fn look_through(
        &mut self,
        entry: &Entry,
        ended: Result<Output, Outcome>,
        hooked: bool,
    ) -> Result<Result<Output, Outcome>, Outcome> {
        let scrubbed = self.host.surroundings.scrub.scrub(ended);
        let scrubbed = scrubbed.map_err(|error| Outcome::HostError(format!("secrets could not be taken out: {error}")));
        let refused = matches!(&scrubbed, Ok(Err(_)));
        // Where a step has refused the call, the trace ends there, unless hooks are to see it.
        let ended = if refused && !hooked { scrubbed? } else { self.step(Step::Scrub, scrubbed)? };
        let (Ok(output), Some(schema)) = (&ended, entry.output()) else { return Ok(ended) };
        let fits = match &output.structured {
            Some(structured) => schema.fits(structured),
            None => Err("there is no structured result, and the manifest promises one".to_owned()),
        };
        self.note(Step::Output, fits.is_ok());
        Ok(match fits {
            Ok(()) => ended,
            Err(why) => Err(Outcome::BadResult(format!("the result does not fit the tool's `output_schema`: {why}"))),
        })
    }

    /// Cuts a result to what a model reads, and keeps the whole of it. A tool that called gets the whole: it reads no notes.
    ///
    /// `most` bounds the bytes of a result that hooks have seen; one that they have not is within its tool's limit already.
    pub(super) fn fit(&self, manifest: &Manifest, most: Option<u64>, output: Output) -> Result<Output, Outcome> {
        if most.is_some_and(|most| output.size() as u64 > most) {
            let detail = "with what hooks added, the result is larger than the tool's own may be".to_owned();
            return Err(Outcome::Limit { kind: LimitKind::Output, detail });
        }
        let output = readable(output);
        if self.lineage.parent().is_some() {
            return Ok(output);
        }
        let ways = || self.ways();
        let keeper = Keeper { store: self.host.surroundings.results.as_ref(), owner: self.owner(), ways: &ways };
        Ok(Budget::default().fit(output, manifest.max_result_size_chars, keeper))
    }

    /// The ways by which this caller gets at what was kept.
    fn ways(&self) -> Ways {
        let listing = Listing::new(self.host, Arc::clone(&self.catalog), self.session);
        let pages = listing.tools.iter().filter(|seen| seen.state.offered() && seen.pages_results());
        let mut tools: Vec<String> = pages.map(|seen| seen.entry.manifest.name.to_string()).collect();
        // Tools read files: a store without a folder has none for them.
        if self.kept().is_none() {
            tools.clear();
        }
        Ways { resource: self.session.reads_resources, tools, http: false }
    }
}

/// A result for programs alone is repeated as compact JSON for models.
fn readable(mut output: Output) -> Output {
    if output.content.is_empty()
        && let Some(structured) = &output.structured
    {
        output.content.push(Content::Text(structured.to_string()));
    }
    output
}
