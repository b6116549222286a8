//! The tools that hosts have, by name.

use crate::model::text::nearest;
use crate::rules::compile::compared_tool;
use crate::rules::format::RuleFormat;
use callosum_shell::glob::{covers, is_glob};

/// OpenClaw's runtime, as rules call it.
const OPENCLAW: &str = "openclaw";

/// What stands between the names of an MCP server and its tool.
const MCP: &str = "__";

/// OpenClaw's own tools, those of the plugins it comes with, and older names of both.
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "agents_list", "agents_wait", "apply_patch", "ask_user", "automations", "browser", "callosum_recent",
    "callosum_search", "callosum_send", "callosum_task_update", "callosum_team", "canvas", "code_execution",
    "computer", "conversations_list", "conversations_send", "conversations_turn", "crabbox", "create_goal", "dashboard", "dir_fetch",
    "dir_list", "dismiss_task", "edit", "exec", "file_fetch", "file_write", "find", "gateway", "get_goal",
    "github_identity_status", "github_publish", "glob", "grep", "heartbeat_respond", "image", "image_generate", "intent",
    "llm-task", "ls", "memory_get", "memory_search", "message", "mobile_ui", "music_generate", "node_inference", "nodes",
    "onepassword", "openclaw", "pdf", "plugins", "portal", "process", "progress_card", "read", "screen", "secrets",
    "session_status", "sessions", "sessions_history", "sessions_list", "sessions_search", "sessions_send", "sessions_spawn",
    "sessions_yield", "show_widget", "skill_workshop", "structured_output", "subagents", "suggest_task", "talk_voice",
    "terminal", "theme", "tool_call", "tool_describe", "tool_search", "tool_search_code", "transcripts", "tts", "update_goal",
    "video_generate", "view_image", "voice_call", "wait", "web_fetch", "web_search", "wiki_apply", "wiki_get", "wiki_lint",
    "wiki_search", "wiki_status", "workboard_attachment_add", "workboard_attachment_delete", "workboard_attachment_read",
    "workboard_block", "workboard_board_archive", "workboard_board_create", "workboard_board_delete", "workboard_boards",
    "workboard_claim", "workboard_comment", "workboard_complete", "workboard_create", "workboard_decompose",
    "workboard_dispatch", "workboard_heartbeat", "workboard_link", "workboard_list", "workboard_move",
    "workboard_notify_advance", "workboard_notify_events", "workboard_notify_list", "workboard_notify_subscribe",
    "workboard_notify_unsubscribe", "workboard_promote", "workboard_proof", "workboard_protocol_violation", "workboard_read",
    "workboard_reassign", "workboard_reclaim", "workboard_release", "workboard_runs", "workboard_specify", "workboard_stats",
    "workboard_unblock", "workboard_worker_log", "write", "x_search",
    // What mail plugins call theirs.
    "email", "email_reply", "email_send", "email_send_message", "mail_reply", "mail_send", "mail_send_message", "send_email",
];

/// The names in a rule's `tool` that nobody is known to have. What a glob, an MCP server or another runtime brings is
/// not known here.
pub(super) fn unknown(rule: &RuleFormat) -> impl Iterator<Item = &str> {
    let runtimes = rule.runtime.as_ref().map(|runtimes| runtimes.0.as_slice());
    let is_for_openclaw = runtimes.is_none_or(|names| names.iter().any(|name| covers(name, OPENCLAW)));
    let names = rule.tool.value.0.iter().filter(move |_| is_for_openclaw).map(String::as_str);
    names.filter(move |name| !is_glob(name) && !name.contains(MCP) && !is_known(name))
}

fn is_known(name: &str) -> bool {
    let name = compared_tool(name);
    TOOLS.iter().any(|tool| compared_tool(tool) == name)
}

/// The tool that was probably meant by a name that no known host has.
#[must_use]
pub fn meant_by_unknown(name: &str) -> Option<&'static str> {
    if is_known(name) || name.contains(MCP) { None } else { meant(name) }
}

/// The tool that was probably meant.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    nearest(name, TOOLS.iter().copied().chain(["bash", "cron"]))
}
