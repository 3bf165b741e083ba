//! Records match the logs: written once by each job that did, and removed by each undo.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::RecordId;
use brain_store::{RecordFilter, Scope};
use brain_vm::{Event, JobId};

use super::Story;
use crate::kernel::World;

const WRITERS: [&str; 7] = ["w.note", "w.built", "w.raised", "w.hung", "w.gate", "w.left", "w.right"];

pub(super) fn check(world: &World, scope: &Scope, stories: &[Story]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut written: BTreeMap<RecordId, String> = BTreeMap::new();
    let mut removed: BTreeMap<RecordId, String> = BTreeMap::new();
    for story in stories {
        let name = world.listing.run(story.state.row.id);
        let Some(machine) = story.state.state.as_ref().filter(|machine| !machine.rolled_back) else { continue };
        let results = &story.state.data.results;
        for job in machine.done.iter().filter(|job| WRITERS.contains(&story.tool(**job))) {
            let Some(id) = results.get(job).and_then(|data| data["note_id"].as_str()).and_then(|id| id.parse().ok())
            else {
                continue;
            };
            let who = format!("{name} {}", story.name(*job));
            let undo = JobId { undo: true, ..*job };
            // A dismissed undo removes nothing.
            let dismissed = story.events.contains(&Event::JobDismissed { job: undo });
            if machine.undone.contains(job) && !dismissed && story.tool(*job) != "w.hung" {
                removed.insert(id, format!("{name} {} by {}", story.name(*job), story.tool(undo)));
            }
            if let Some(other) = written.insert(id, who.clone()) {
                problems.push(format!("{who} and {other} wrote the same note"));
            }
        }
        for job in machine.done.iter().filter(|job| story.tool(**job) == "w.unnote") {
            if let Some(id) = results.get(job).and_then(|data| data["note_id"].as_str()).and_then(|id| id.parse().ok())
            {
                removed.insert(id, format!("{name} {}", story.name(*job)));
            }
        }
    }
    let notes = world.disk.base.records(scope, "note", &RecordFilter::default(), 100_000, None);
    let notes = notes.map_or(Vec::new(), |page| page.items);
    let there: BTreeSet<RecordId> = notes.iter().map(|note| note.id).collect();
    for note in notes.iter().filter(|note| !written.contains_key(&note.id)) {
        problems.push(format!("a note of {} is there, but no log says so", note.body["job"]));
    }
    for (id, who) in &written {
        match removed.get(id) {
            None if !there.contains(id) => problems.push(format!("{who} wrote a note that is not there")),
            Some(by) if there.contains(id) => {
                problems.push(format!("{who} wrote a note that was undone ({by}) and is still there"));
            }
            _ => {}
        }
    }
    let mut sides: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for note in &notes {
        if let Some((side, place)) = note.body["kind"].as_str().and_then(|kind| kind.split_once(' ')) {
            sides.entry(place.to_owned()).or_default().insert(side.to_owned());
        }
    }
    for (place, sides) in sides.iter().filter(|(_, sides)| sides.len() > 1) {
        problems.push(format!("place {place} was taken from both sides: {sides:?}"));
    }
    problems
}
