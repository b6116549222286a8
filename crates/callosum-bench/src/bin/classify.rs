//! How long the shipped rules take over shell commands, and nothing else.
//!
//! `classify`, then on standard input a JSON list of orders: `{"command":"git push","calls":1000}`.

use std::hint::black_box;
use std::io;
use std::time::Instant;

use callosum_bench::{Result, answer, arguments};
use callosum_core::model::tool_call::ToolCall;
use callosum_core::rules::{RuleSet, World};
use serde_json::{Value, json};

fn main() -> Result<()> {
    let [] = arguments("classify")?;
    let orders: Vec<Value> = serde_json::from_reader(io::stdin().lock())?;
    let rules = RuleSet::shipped();
    let call =
        ToolCall { tool: "exec".to_owned(), cwd: Some("/home/me/app".to_owned()), ..ToolCall::default() };
    let mut times = Vec::new();
    for order in &orders {
        let params = json!({ "command": order.get("command").ok_or("no `command`")? });
        let calls = order.get("calls").and_then(Value::as_u64).ok_or("no number `calls`")?;
        let mut of_order = Vec::new();
        for _ in 0..calls {
            let started = Instant::now();
            black_box(rules.classify(&call, "native", &params, &World::unseen()));
            of_order.push(u64::try_from(started.elapsed().as_nanos())?);
        }
        times.push(of_order);
    }
    Ok(answer(&json!(times))?)
}
