//! `before` and `after`, which run for every tool call. Each gate has them as functions of its own, not as methods:
//! for a method napi asks at each call whether its receiver is a gate, and keeps account of who borrows it, which takes
//! longer than all that is done for a call of tier 0. What napi does not write into the binding's types stands in
//! `hooks.d.ts`.

use std::cell::Cell;
use std::sync::Arc;

use callosum_core::gate::{self, EndReport};
use callosum_core::outcome::Ended;
use callosum_core::tool_call::{Parameters, ToolCall};
use napi::bindgen_prelude::{FunctionCallContext, JsObjectValue, Object, Unknown};
use napi::{Env, Error, Result, Status, ValueType};

use crate::js_params::JsParams;
use crate::js_text::read_into;
use crate::js_types::Answer;
use crate::panic_guard::guarded;

/// Gives a gate's object its functions. Each keeps the texts of its last call: the next one's are written over them.
pub(crate) fn put_on(object: &mut Object<'_>, env: Env, gate: &Arc<gate::Gate>) -> Result<()> {
    let (own, last) = (Arc::clone(gate), Cell::default());
    let function =
        env.create_function_from_closure::<(), _, _>("before", move |given| before(&own, &last, &given))?;
    object.set_named_property("before", function)?;
    let (own, last) = (Arc::clone(gate), Cell::default());
    let function =
        env.create_function_from_closure::<(), _, _>("after", move |given| after(&own, &last, &given))?;
    object.set_named_property("after", function)
}

/// `(tool, toolKind, agent, session, run, call, cwd, params)`
fn before(
    gate: &gate::Gate,
    last: &Cell<ToolCall>,
    arguments: &FunctionCallContext<'_>,
) -> Result<Option<Answer>> {
    let mut call = last.take();
    read(&mut call.tool, arguments, 0)?;
    read_optional(&mut call.kind, arguments, 1)?;
    read_optional(&mut call.agent, arguments, 2)?;
    read(&mut call.session, arguments, 3)?;
    read_optional(&mut call.run, arguments, 4)?;
    read_optional(&mut call.call, arguments, 5)?;
    read_optional(&mut call.cwd, arguments, 6)?;
    let params = arguments.get::<Unknown<'_>>(7)?;
    let params = JsParams::new(&params);
    let answer = guarded("before", None, || Some(gate.before(&call, &params, &gate.machine().now())));
    let answer = answer.unwrap_or_else(|| {
        // A panic: the policy for an unusable state decides by the tier, if that can still be told.
        let now = gate.machine().now();
        guarded("undecided", gate::Answer::Proceed, || gate.undecided(&call, &params, &now))
    });
    last.set(call);
    Ok(Answer::from_core(answer))
}

/// `(tool, agent, session, run, call, params, ended, exitCode, processSession)`
fn after(
    gate: &gate::Gate,
    last: &Cell<ToolCall>,
    arguments: &FunctionCallContext<'_>,
) -> Result<Option<Answer>> {
    let mut known = last.take();
    read(&mut known.session, arguments, 2)?;
    read_optional(&mut known.run, arguments, 3)?;
    read_optional(&mut known.call, arguments, 4)?;
    let ToolCall { session, run, call, .. } = &known;
    if guarded("after", false, || gate.after_unwritten(session, run.as_deref(), call.as_deref())) {
        last.set(known);
        return Ok(None);
    }
    let ToolCall { mut tool, mut agent, session, run, call, .. } = known;
    read(&mut tool, arguments, 0)?;
    read_optional(&mut agent, arguments, 1)?;
    let params = arguments.get::<Unknown<'_>>(5)?;
    let params = JsParams::new(&params);
    let (mut ended, mut process) = (String::new(), None);
    read(&mut ended, arguments, 6)?;
    read_optional(&mut process, arguments, 8)?;
    let mut report = EndReport {
        tool,
        agent,
        session,
        run,
        call,
        digest: None,
        // A word that is not known may stand for anything: so is its outcome.
        ended: Ended::from_word(&ended).unwrap_or(Ended::Maybe),
        exit_code: arguments.get(7)?,
        process,
        ran: None,
    };
    Ok(guarded("after", None, || {
        // Only a call without an id is known by what it does.
        if report.call.is_none() {
            let bare = ToolCall { tool: report.tool.clone(), ..ToolCall::default() };
            report.digest = Some(callosum_core::digest::digest(&bare, &params.all()));
        }
        Answer::from_core(gate.after_written(&report, &params, &gate.machine().now()))
    }))
}

/// Reads the argument at `index`, a string.
fn read(text: &mut String, arguments: &FunctionCallContext<'_>, index: usize) -> Result<()> {
    if read_into(text, &arguments.get(index)?)? {
        return Ok(());
    }
    Err(Error::new(Status::StringExpected, "a string was expected".to_owned()))
}

/// The same for one that need not be there.
fn read_optional(text: &mut Option<String>, arguments: &FunctionCallContext<'_>, index: usize) -> Result<()> {
    let argument = arguments.get::<Unknown<'_>>(index)?;
    // What was not there the last time mostly is not there again.
    if text.is_none() && matches!(argument.get_type()?, ValueType::Undefined | ValueType::Null) {
        return Ok(());
    }
    let mut read = text.take().unwrap_or_default();
    *text = read_into(&mut read, &argument)?.then_some(read);
    Ok(())
}
