//! The protocol: whichever revision the client speaks, by `rmcp`.

use std::future::{Future, ready};
use std::io;
use std::sync::Arc;
use std::thread;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    Implementation, InitializeResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, serve_server};
use tokio::io::{AsyncWriteExt, DuplexStream, duplex};
use tokio::runtime::{Builder, Handle};
use tokio::task::spawn_blocking;

use crate::answer::{Answer, Host};
use crate::lines::{self, MAX_BYTES, TOO_LONG};
use crate::tools;

/// Calls that are worked on at once.
const AT_ONCE: usize = 4;
/// Of the client's lines, so many bytes wait to be parsed.
const BUFFER: usize = 64 << 10;

/// Serves the client at standard input until that ends.
pub(crate) fn serve(host: Host) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(AT_ONCE).build()?;
    let (to_server, from_client) = duplex(BUFFER);
    let handle = runtime.handle().clone();
    let reader = thread::Builder::new().name("callosum-lines".to_owned());
    // It ends with the input, or with the process.
    reader.spawn(move || read_lines(&handle, to_server))?;
    runtime.block_on(async {
        let server = Server { host: Arc::new(host) };
        // A client that goes before it has said who it is has said nothing that wants an answer.
        if let Ok(serving) = serve_server(server, (from_client, tokio::io::stdout())).await {
            let _ = serving.waiting().await;
        }
    });
    // A call that still runs has nobody to answer to.
    runtime.shutdown_background();
    Ok(())
}

/// Hands the lines of standard input on, one by one.
fn read_lines(handle: &Handle, mut to_server: DuplexStream) {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while let Ok(true) = lines::next(&mut input, &mut line) {
        if handle.block_on(to_server.write_all(&line)).is_err() {
            break;
        }
    }
}

struct Server {
    host: Arc<Host>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        InitializeResult::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("callosum", env!("CARGO_PKG_VERSION")))
    }

    fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        ready(Ok(ListToolsResult::with_all_items(tools::all())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let host = Arc::clone(&self.host);
        let CallToolRequestParams { name, arguments, .. } = request;
        let meta = context.meta.0.0;
        let tool = name.clone();
        let answer = spawn_blocking(move || host.call(&tool, arguments.unwrap_or_default(), &meta)).await;
        match answer {
            Ok(Some(answer)) => Ok(result(answer).into()),
            Ok(None) => {
                let name = callosum_core::model::text::one_line(&name, 80);
                Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None))
            }
            // What broke stands on standard error.
            Err(_) => Err(ErrorData::internal_error("the call failed inside Callosum", None)),
        }
    }

    fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CustomResult, ErrorData>> + Send + '_ {
        let error = if request.method == TOO_LONG {
            ErrorData::invalid_request(format!("a message may have at most {MAX_BYTES} bytes"), None)
        } else {
            let method = callosum_core::model::text::one_line(&request.method, 80);
            ErrorData::new(
                rmcp::model::ErrorCode::METHOD_NOT_FOUND,
                format!("there is no method `{method}`"),
                None,
            )
        };
        ready(Err(error))
    }
}

fn result(answer: Answer) -> CallToolResult {
    let Answer { structured, text, unread, is_error } = answer;
    let mut result = CallToolResult::success(vec![ContentBlock::text(text), ContentBlock::text(unread)]);
    result.structured_content = Some(structured);
    result.is_error = Some(is_error);
    result
}
