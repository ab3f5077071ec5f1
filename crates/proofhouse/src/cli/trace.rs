//! `proofhouse trace`: a journal as OpenTelemetry spans, printed or handed to a collector.

use super::args::Trace;
use super::exit;
use super::out::{Out, count};
use serde_json::Value;
use std::time::Duration;
use ureq::http::Uri;
use workspace::{EngineError, Project};

/// Where a collector takes spans, if the address says nothing else.
const TRACES: &str = "/v1/traces";

/// By the standard: `name=value,name=value`, for collectors that want a key.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// More than this a collector does not say.
const MOST_SAID: u64 = 1 << 16;

pub(crate) fn trace(project: &Project, args: &Trace, out: &Out) -> Result<u8, EngineError> {
    let request = report::trace::trace(&project.at_top(), &args.run)?;
    let Some(url) = &args.otlp else {
        out.facts(&request);
        return Ok(exit::OK);
    };
    let url = address(url)?;
    send(&url, request.to_string().as_bytes())?;
    let spans = &request["resourceSpans"][0]["scopeSpans"][0]["spans"];
    let many = spans.as_array().map_or(0, Vec::len);
    let id = spans[0]["traceId"].as_str().unwrap_or_default();
    if out.json {
        out.facts(&serde_json::json!({"run": args.run, "trace": id, "spans": many, "url": url}));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "sent {} of `{}` to {url}\n  trace       {id}",
        count(many as u64, "span"),
        args.run
    ));
    Ok(exit::OK)
}

pub(super) fn address(url: &str) -> Result<String, EngineError> {
    let read: Option<Uri> = url.parse().ok();
    let known = read.filter(|uri| {
        let known = matches!(uri.scheme_str(), Some("http" | "https"));
        // A password in an address is written down by whoever sees the command.
        let bare = uri.authority().is_some_and(|at| !at.as_str().contains('@'));
        known && bare
    });
    let Some(uri) = known else {
        return Err(EngineError::user(
            "bad_collector",
            format!("`{url}` is no address of a collector"),
            "write it as http://HOST:4318 or with its path; keys go into OTEL_EXPORTER_OTLP_HEADERS",
        ));
    };
    Ok(match uri.path() {
        "" | "/" => format!("{}{TRACES}", url.trim_end_matches('/')),
        _ => url.to_owned(),
    })
}

pub(super) fn send(url: &str, body: &[u8]) -> Result<(), EngineError> {
    let failed = |what: String| {
        EngineError::environment(
            "collector_failed",
            format!("{url} did not take the trace: {what}"),
            "start the collector, or give another address; the run is not concerned, and the same trace can be sent again",
        )
    };
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(5)))
        .timeout_global(Some(Duration::from_secs(30)))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("proofhouse/", env!("CARGO_PKG_VERSION")));
    let config = match is_here(url) {
        true => config.proxy(None),
        false => config,
    };
    let agent = ureq::Agent::new_with_config(config.build());
    let mut request = agent.post(url).header("content-type", "application/json");
    let headers = std::env::var(HEADERS).unwrap_or_default();
    if !headers.is_empty() && url.starts_with("http:") && !is_here(url) {
        return Err(EngineError::user(
            "bad_collector",
            format!("what {HEADERS} holds would travel to {url} in the clear"),
            "use https",
        ));
    }
    for one in headers.split(',').filter(|one| !one.trim().is_empty()) {
        let Some((name, value)) = one.split_once('=') else {
            return Err(EngineError::user(
                "bad_collector",
                format!("{HEADERS} is not `name=value,name=value`"),
                "write it so; what it holds is not shown here, since it may be a key",
            ));
        };
        request = request.header(name.trim(), value.trim());
    }
    let mut answer = request
        .send(body)
        .map_err(|error| failed(error.to_string()))?;
    let status = answer.status();
    if !status.is_success() {
        let why = match status.as_u16() {
            415 => "; it takes OTLP as JSON nowhere, or at another path",
            _ => "",
        };
        return Err(failed(format!("it answered {status}{why}")));
    }
    // It may have taken some and not others.
    let said = answer
        .body_mut()
        .with_config()
        .limit(MOST_SAID)
        .read_to_string();
    let said: Value = serde_json::from_str(&said.unwrap_or_default()).unwrap_or_default();
    let partly = &said["partialSuccess"];
    // Numbers of 64 bits are texts in their JSON.
    let rejected = partly["rejectedSpans"]
        .as_str()
        .and_then(|text| text.parse().ok());
    match rejected.or(partly["rejectedSpans"].as_u64()).unwrap_or(0) {
        0 => Ok(()),
        many => Err(failed(format!(
            "it rejected {}: {}",
            count(many, "span"),
            partly["errorMessage"]
                .as_str()
                .unwrap_or("without a reason")
        ))),
    }
}

/// Is the collector on this machine?
fn is_here(url: &str) -> bool {
    let uri: Option<Uri> = url.parse().ok();
    uri.as_ref()
        .and_then(Uri::host)
        .is_some_and(|host| matches!(host, "localhost" | "[::1]") || host.starts_with("127."))
}
