//! `before` and `after`, which run for every tool call. Each gate has them as functions of its own, not as methods:
//! for a method napi asks at each call whether its receiver is a gate, and keeps account of who borrows it, which takes
//! longer than all that is done for a call of tier 0. What napi does not write into the binding's types stands in
//! `hooks.d.ts`.

use std::sync::Arc;

use callosum_core::gate::{self, EndReport};
use callosum_core::model::digest::digest;
use callosum_core::model::tool_call::{Parameters, ToolCall};
use callosum_core::record::outcome::Ended;
use napi::bindgen_prelude::{FunctionCallContext, JsObjectValue, Object, Unknown};
use napi::{Env, Result};

use crate::js_params::JsParams;
use crate::js_text::{OptionalText, Text};
use crate::js_types::Answer;
use crate::panic_guard::guarded;

/// Gives a gate's object its functions.
pub(crate) fn put_on(object: &mut Object<'_>, env: Env, gate: &Arc<gate::Gate>) -> Result<()> {
    let own = Arc::clone(gate);
    let function =
        env.create_function_from_closure::<(), _, _>("before", move |arguments| before(&own, &arguments))?;
    object.set_named_property("before", function)?;
    let own = Arc::clone(gate);
    let function =
        env.create_function_from_closure::<(), _, _>("after", move |arguments| after(&own, &arguments))?;
    object.set_named_property("after", function)
}

/// `(tool, toolKind, agent, session, run, call, cwd, params, canAsk)`
fn before(gate: &gate::Gate, arguments: &FunctionCallContext<'_>) -> Result<Option<Answer>> {
    let call = ToolCall {
        tool: text(arguments, 0)?,
        // Mostly not there: asked by its type, which is one look, not two.
        kind: arguments.get::<Option<Text>>(1)?.map(|text| text.0),
        agent: optional(arguments, 2)?,
        session: text(arguments, 3)?,
        run: optional(arguments, 4)?,
        call: optional(arguments, 5)?,
        cwd: optional(arguments, 6)?,
        // A shim of another version does not say it.
        can_ask: arguments.length() > 8 && arguments.get::<Option<bool>>(8)?.unwrap_or(false),
    };
    let params = arguments.get::<Unknown<'_>>(7)?;
    let params = JsParams::new(&params);
    let answer = guarded("before", None, || Some(gate.before(&call, &params, &gate.machine().now())));
    let answer = answer.unwrap_or_else(|| {
        // A panic: the policy for an unusable state decides by the tier, if that can still be told.
        let now = gate.machine().now();
        guarded("answer_after_panic", gate::Answer::Proceed, || gate.answer_after_panic(&call, &params, &now))
    });
    Ok(Answer::from_core(answer))
}

/// `(tool, agent, session, run, call, params, ended, exitCode, processSession)`
fn after(gate: &gate::Gate, arguments: &FunctionCallContext<'_>) -> Result<Option<Answer>> {
    let (session, run, call) = (text(arguments, 2)?, optional(arguments, 3)?, optional(arguments, 4)?);
    let is_done = || gate.after_unwritten(&session, run.as_deref(), call.as_deref());
    if guarded("after", false, is_done) {
        return Ok(None);
    }
    let params = arguments.get::<Unknown<'_>>(5)?;
    let params = JsParams::new(&params);
    // A word that is not known may stand for anything: so is its outcome.
    let ended = Ended::from_word(&text(arguments, 6)?).unwrap_or(Ended::Maybe);
    let mut report = EndReport {
        tool: text(arguments, 0)?,
        agent: optional(arguments, 1)?,
        session,
        run,
        call,
        digest: None,
        ended,
        exit_code: arguments.get(7)?,
        process: optional(arguments, 8)?,
        ran: None,
    };
    Ok(guarded("after", None, || {
        // Only a call without an id is known by what it does.
        if report.call.is_none() {
            report.digest = Some(digest(&report.tool, &params.all()));
        }
        Answer::from_core(gate.after_written(&report, &params, &gate.machine().now()))
    }))
}

fn text(arguments: &FunctionCallContext<'_>, index: usize) -> Result<String> {
    arguments.get::<Text>(index).map(|text| text.0)
}

fn optional(arguments: &FunctionCallContext<'_>, index: usize) -> Result<Option<String>> {
    arguments.get::<OptionalText>(index).map(|text| text.0)
}
