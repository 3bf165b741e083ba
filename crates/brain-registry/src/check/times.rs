//! Timeouts must not exceed the operator's limit.

use brain_core::Millis;

use crate::code::Code;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::model::{Behavior, ToolDef};
use crate::world::World;
use crate::yaml::Span;

/// Checks the timeouts of tools and of the steps of playbooks.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    for tool in world.tools.iter().filter(|tool| !is_exempt(&tool.value)) {
        if let Some(node) = tool.node.get("timeout") {
            let mut cx = tool.context(&world.sources, found);
            at_most(&mut cx, world, &tool.value.name, tool.value.timeout, node.span);
        }
    }
    for playbook in &world.playbooks {
        let written = playbook.node.get("steps").and_then(|node| node.as_seq()).unwrap_or(&[]);
        for (step, node) in playbook.value.steps.iter().zip(written) {
            let known = world.tools.iter().find(|tool| tool.value.name == step.tool);
            if let (Some(length), Some(at)) = (step.timeout, node.get("timeout"))
                && known.is_some_and(|tool| !is_exempt(&tool.value))
            {
                let mut cx = playbook.context(&world.sources, found);
                at_most(&mut cx, world, &step.tool, length, at.span);
            }
        }
    }
}

/// Others do the work, or its steps have their own timeouts.
fn is_exempt(tool: &ToolDef) -> bool {
    tool.delegate.is_some() || matches!(tool.behavior, Behavior::Worker(_) | Behavior::Playbook(_))
}

fn at_most(cx: &mut Context<'_>, world: &World, tool: &str, length: Millis, span: Span) {
    let most = world.times.tool_max;
    if length > most {
        let message = format!("the timeout of `{tool}` must be at most {most}, but it is {length}");
        let help = "use `worker` or `delegate`, which have no such limit, or ask the operator to raise \
                    `times: {tool_max: …}` in the configuration";
        cx.report(Code::OutOfRange, span, message, Some(help.into()));
    }
}
