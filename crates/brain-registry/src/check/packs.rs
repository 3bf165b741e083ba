//! Packs: no duplicates, and all dependencies present.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::suggest::did_you_mean;
use crate::world::World;

/// Checks the set of packs.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    let names: Vec<&str> = world.packs.iter().map(|pack| pack.value.name.as_str()).collect();
    for (index, pack) in world.packs.iter().enumerate() {
        let mut cx = pack.context(&world.sources, found);
        if names[..index].contains(&pack.value.name.as_str()) {
            let message = format!("there is another pack called `{}`", pack.value.name);
            cx.report(Code::PackSet, pack.name, message, None);
        }
        for (at, needed) in pack.value.requires.iter().enumerate() {
            if !names.contains(&needed.as_str()) {
                let others = names.iter().copied().filter(|name| *name != pack.value.name);
                let help = did_you_mean(needed, others).unwrap_or_else(|| format!("load it too: `--pack …/{needed}`"));
                let span = pack.at(&["requires", &at.to_string()]).span;
                cx.report(
                    Code::PackSet,
                    span,
                    format!("this pack needs the pack `{needed}`, which is not loaded"),
                    Some(help),
                );
            }
        }
    }
}
