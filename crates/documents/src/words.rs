//! The word lists of `prose`, sorted so that they can be searched. They hold English only; a spec in
//! another language gets warnings, never errors.

#[rustfmt::skip]
/// Verbs of observable behaviour, and the forms that no ending explains.
pub(super) static VERBS: [&str; 315] = [
    "accept", "add", "alert", "allow", "annotate", "answer", "append", "apply", "approve",
    "archive", "assert", "assign", "attach", "audit", "authenticate", "authorize", "autofill",
    "await", "batch", "begin", "block", "broadcast", "cache", "calculate", "call", "cancel",
    "capture", "cascade", "change", "check", "clear", "click", "close", "collapse", "collect",
    "commit", "compare", "compile", "complete", "compress", "compute", "confirm", "connect",
    "contain", "continue", "convert", "copy", "count", "create", "decline", "decode", "decrypt",
    "deduplicate", "default", "defer", "delete", "deliver", "deny", "deploy", "detect",
    "disable", "disallow", "discard", "disconnect", "dismiss", "dispatch", "display",
    "download", "drop", "echo", "edit", "emit", "enable", "encode", "encrypt", "end", "enforce",
    "ensure", "enter", "equal", "error", "escape", "evaluate", "exceed", "exclude", "execute",
    "exist", "exit", "expand", "expire", "export", "expose", "extract", "fail", "fall", "fetch",
    "filter", "find", "finish", "fire", "flag", "flush", "focus", "follow", "forbid", "format",
    "forward", "found", "generate", "get", "give", "given", "gives", "gone", "grant", "group",
    "guarantee", "halt", "handle", "hash", "have", "held", "hide", "highlight", "hold", "honor",
    "honour", "identify", "ignore", "import", "include", "increase", "increment", "index",
    "indicate", "inform", "initialize", "insert", "install", "invalidate", "invoke", "issue",
    "join", "keep", "kept", "known", "latch", "launch", "leave", "left", "limit", "link",
    "list", "load", "lock", "log", "login", "logout", "lost", "made", "mark", "match",
    "measure", "merge", "migrate", "modify", "monitor", "move", "navigate", "notify", "omit",
    "open", "order", "output", "overwrite", "paginate", "parse", "pass", "pause", "perform",
    "permit", "persist", "play", "populate", "post", "present", "preserve", "prevent", "print",
    "process", "produce", "prompt", "propagate", "provide", "publish", "purge", "push", "put",
    "queue", "raise", "ran", "read", "rebuild", "receive", "record", "recover", "redirect",
    "refresh", "refuse", "register", "reject", "release", "reload", "remain", "remove",
    "rename", "render", "repeat", "replace", "reply", "report", "request", "require", "reset",
    "resize", "resolve", "respond", "restart", "restore", "restrict", "result", "resume",
    "retain", "retrieve", "retry", "return", "revert", "revoke", "roll", "rolled", "rotate",
    "round", "route", "run", "save", "scale", "schedule", "scroll", "search", "select", "send",
    "sent", "serialize", "serve", "set", "shall", "show", "shown", "shut", "sign", "skip",
    "sort", "sorted", "specify", "split", "start", "stay", "stays", "stop", "store", "stream",
    "strip", "submit", "subscribe", "succeed", "support", "suppress", "switch", "sync",
    "synchronize", "tag", "terminate", "test", "throttle", "throw", "thrown", "tick", "time",
    "toggle", "told", "track", "transform", "transition", "translate", "transmit", "trigger",
    "trim", "truncate", "unlock", "unsubscribe", "update", "upload", "upsert", "use",
    "validate", "verify", "view", "wait", "warn", "work", "wrap", "write", "written", "wrote",
    "yield",
];

#[rustfmt::skip]
/// Words that name no error in particular.
pub(super) static VAGUE: [&str; 106] = [
    "a", "all", "an", "and", "any", "appropriate", "are", "as", "at", "be", "by", "can", "case",
    "cases", "caught", "code", "codes", "condition", "conditions", "could", "default", "do",
    "does", "encountered", "error", "errors", "etc", "exception", "exceptions", "expected",
    "fail", "failed", "fails", "failure", "failures", "for", "general", "generic", "go", "goes",
    "handle", "handled", "handling", "happen", "happens", "have", "if", "in", "is", "it",
    "kind", "kinds", "may", "maybe", "might", "mode", "modes", "no", "none", "nothing", "occur",
    "occurs", "of", "on", "or", "possible", "possibly", "potential", "problem", "problems",
    "properly", "raise", "raised", "raises", "reported", "return", "returned", "returns",
    "several", "should", "some", "something", "standard", "surface", "surfaces", "that", "the",
    "there", "they", "thing", "things", "this", "throw", "thrown", "throws", "to", "type",
    "types", "unexpected", "unknown", "usual", "various", "when", "will", "with", "wrong",
];
