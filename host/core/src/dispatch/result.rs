//! What leaves of a call: no secret, nothing that breaks its schema, and no more than a model reads.

use std::sync::Arc;
use std::time::Duration;

use hermes_manifest::Manifest;

use super::course::Course;
use super::hooks::{self, Left};
use super::rounds::Around;
use super::step::Step;
use crate::call::{Content, Ended, Output, Pending};
use crate::limits::LimitKind;
use crate::outcome::Outcome;
use crate::registry::Entry;
use crate::results::{Budget, Keeper, Ways};
use crate::scrub::unscrubbed;
use crate::seen::Listing;

impl Course<'_> {
    /// What comes out of a run: scrubbed, compared with the tool's schema, shown to the hooks, and then scrubbed and compared again.
    /// What failed and no hook sees is scrubbed as it leaves.
    pub(super) async fn show(
        &mut self,
        around: &Around<'_>,
        ended: Result<Ended, Outcome>,
        elapsed: Duration,
    ) -> Result<Ended, Outcome> {
        if around.hooks.is_empty() && ended.is_err() {
            return ended;
        }
        let ended = self.look_through(around.entry, ended)?;
        if around.hooks.is_empty() {
            return ended;
        }
        let mut left = Left::default();
        let shown =
            hooks::after((around.hooks, self.lineage), (around.call, around.args), ended, elapsed, &mut left).await;
        self.keep(left);
        let shown = self.step(Step::After, shown)?;
        self.look_through(around.entry, shown)?
    }

    /// Scrubs what came out of a run, and compares a result with its schema. One that does not fit is a failure, which hooks may
    /// still see.
    fn look_through(
        &mut self,
        entry: &Entry,
        ended: Result<Ended, Outcome>,
    ) -> Result<Result<Ended, Outcome>, Outcome> {
        let scrub = self.host.surroundings.scrub.as_ref();
        let scrubbed = match ended {
            Ok(Ended::Ask(asked)) => {
                let requests = scrub.questions(asked.requests);
                requests.map(|requests| Ok(Ended::Ask(Pending { requests, ..asked })))
            }
            Ok(Ended::Done(output)) => scrub.outcome(Outcome::Done(output)).map(read),
            Err(outcome) => scrub.outcome(outcome).map(read),
        };
        let ended = self.step(Step::Scrub, scrubbed.map_err(|error| unscrubbed(&error)))?;
        let (Ok(Ended::Done(output)), Some(schema)) = (&ended, entry.output()) else { return Ok(ended) };
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

    /// Scrubs whatever leaves: what hooks and the host said is in no run's end, and no way out leads around this.
    pub(super) fn scrub(&mut self, outcome: Outcome) -> Outcome {
        self.host.surroundings.scrub.outcome(outcome).unwrap_or_else(|error| {
            let is_noted = self.report.trace.last().is_some_and(|last| last.step == Step::Scrub && !last.passed);
            if !is_noted {
                self.note(Step::Scrub, false);
            }
            unscrubbed(&error)
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
        Ways { resource: self.session.reads_resources, tools, http: self.session.reads_http }
    }
}

fn read(outcome: Outcome) -> Result<Ended, Outcome> {
    match outcome {
        Outcome::Done(output) => Ok(Ended::Done(output)),
        failed => Err(failed),
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
