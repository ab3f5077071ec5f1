//! The approvers file, in the allowed_signers format of OpenSSH. It refuses to skip what it can
//! not read: a typing error must not silently take somebody's say away, nor widen it. What is wrong
//! with a line is a sentence for whoever wrote it; nothing acts on which.

use super::{enrolled, stamp};
use ssh_key::{Algorithm, PublicKey};
use workspace::error::EngineError;

/// Who may sign, and what was left out.
pub(super) struct Allowed {
    pub(super) lines: Vec<Line>,
    /// Lines that are valid but not used here.
    pub(super) notes: Vec<String>,
}

/// One key that may sign.
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) principal: String,
    pub(super) options: Options,
    pub(super) key: PublicKey,
    /// What stands behind the key: of a passkey, the page that it was enrolled at.
    pub(super) comment: String,
}

/// What limits a key.
#[derive(Default)]
pub(super) struct Options {
    authority: bool,
    pub(super) namespaces: Option<String>,
    pub(super) valid_after: Option<u64>,
    pub(super) valid_before: Option<u64>,
}

/// Reads the whole file, or names the first line that is wrong.
pub(super) fn parse(text: &str) -> Result<Allowed, EngineError> {
    let mut allowed = Allowed {
        lines: Vec::new(),
        notes: Vec::new(),
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, raw) in text.lines().enumerate() {
        let number = index + 1;
        let bare = raw.trim_matches([' ', '\t', '\r']);
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let line = line(number, bare).map_err(|reason| malformed(Some(number), &reason))?;
        if line.options.authority {
            allowed.notes.push(format!(
                "line {number} names a certificate authority; certificates are not supported, \
                 list the people's own keys"
            ));
        } else {
            allowed.lines.push(line);
        }
    }
    if allowed.lines.is_empty() {
        let notes = allowed.notes.join("; ");
        let comma = if notes.is_empty() { "" } else { ": " };
        return Err(malformed(None, &format!("it lists no key{comma}{notes}")));
    }
    Ok(allowed)
}

/// Reads the one line that somebody wants to add: it stands in no file yet.
pub(super) fn parse_given(text: &str) -> Result<Line, EngineError> {
    let bare = text.trim_matches([' ', '\t', '\r', '\n']);
    let read = match bare.is_empty() || bare.starts_with('#') {
        true => Err("there is nobody in it".to_owned()),
        false => line(1, bare),
    };
    let read = match read {
        Ok(line) if line.options.authority => {
            Err("certificates are not supported, list the person's own key".to_owned())
        }
        // In the file it is a line that decides nothing; nobody should add one.
        Ok(line) => match enrolled::pageless(line.key.key_data(), &line.comment) {
            Some(why) => Err(why),
            None => Ok(line),
        },
        read => read,
    };
    read.map_err(|reason| {
        EngineError::user(
            "approvers_malformed",
            format!("the line to be added lists nobody: {reason}"),
            "give a name and a public key: `NAME [OPTIONS] ssh-ed25519 AAAA...`, the key as it \
             stands in a `.pub` file",
        )
    })
}

fn malformed(line: Option<usize>, reason: &str) -> EngineError {
    let place = line.map_or(String::new(), |line| format!(", line {line}"));
    EngineError::user(
        "approvers_malformed",
        format!(".proofhouse/approvers{place}: {reason}"),
        "mend it: one key on a line, `NAME [OPTIONS] ssh-ed25519 AAAA...`, as ssh-keygen(1) says \
         under ALLOWED SIGNERS; remove the file if a terminal is to be enough",
    )
}

fn line(number: usize, text: &str) -> Result<Line, String> {
    if text.chars().any(|c| c.is_control() && c != '\t') {
        return Err("there is a control character in it".to_owned());
    }
    let (principals, rest) = field(text)?;
    let principal = name(principals.trim_matches('"'))?;
    if rest.is_empty() {
        return Err(format!("there is no key after {principals}"));
    }
    let (first, after) = field(rest)?;
    let (options, key) = if is_key_type(first) {
        (Options::default(), rest)
    } else {
        (options(first)?, after)
    };
    let (kind, blob) = field(key)?;
    if !is_key_type(kind) {
        return Err(format!("`{kind}` is not a key type such as ssh-ed25519"));
    }
    let (blob, comment) = field(blob)?;
    let key = PublicKey::from_openssh(&format!("{kind} {blob}"))
        .map_err(|error| format!("the {kind} key cannot be read: {error}"))?;
    Ok(Line {
        number,
        principal,
        options,
        key,
        comment: comment.trim().to_owned(),
    })
}

/// Who the key speaks for: the first plain name, else (patterns alone) the field as it stands.
fn name(principals: &str) -> Result<String, String> {
    let mut names = principals.split(',');
    if principals.is_empty() || names.clone().any(str::is_empty) {
        return Err("an empty name in the list of principals".to_owned());
    }
    // OpenSSH takes it for somebody whom the rest of the list does not mean; here it would be a name.
    if let Some(negated) = names.clone().find(|name| name.starts_with('!')) {
        return Err(format!(
            "`{negated}` says who may not sign; list only those who may"
        ));
    }
    let plain = names.find(|name| !name.contains(['*', '?']));
    Ok(plain.unwrap_or(principals).to_owned())
}

/// Cuts at the first blank outside of double quotes. `\"` is a quote inside of quotes.
fn field(text: &str) -> Result<(&str, &str), String> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ' ' | '\t' if !quoted => {
                return Ok((&text[..at], text[at..].trim_start_matches([' ', '\t'])));
            }
            _ => {}
        }
    }
    if quoted {
        return Err("a double quote is never closed".to_owned());
    }
    Ok((text, ""))
}

fn is_key_type(text: &str) -> bool {
    !matches!(
        Algorithm::new(text),
        Err(_) | Ok(Algorithm::Other(_) | Algorithm::Rsa { hash: Some(_) })
    )
}

fn options(mut text: &str) -> Result<Options, String> {
    let mut options = Options::default();
    loop {
        let (name, rest) = match text.find(['=', ',']) {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let rest = match rest.strip_prefix('=') {
            Some(rest) => {
                let (value, rest) = value(name, rest)?;
                option(&mut options, name, value)?;
                rest
            }
            None => {
                if !name.eq_ignore_ascii_case("cert-authority") {
                    return Err(format!("`{name}` is neither a key type nor an option"));
                }
                options.authority = true;
                rest
            }
        };
        if rest.is_empty() {
            break;
        }
        text = rest
            .strip_prefix(',')
            .filter(|more| !more.is_empty())
            .ok_or_else(|| format!("`{rest}` does not continue the options"))?;
    }
    if let (Some(after), Some(before)) = (options.valid_after, options.valid_before)
        && before <= after
    {
        return Err("valid-before is not later than valid-after".to_owned());
    }
    Ok(options)
}

/// A value in double quotes, or up to the next comma.
fn value<'a>(name: &str, text: &'a str) -> Result<(&'a str, &'a str), String> {
    let Some(inner) = text.strip_prefix('"') else {
        return Ok(text.split_at(text.find(',').unwrap_or(text.len())));
    };
    let (value, rest) = inner
        .split_once('"')
        .ok_or_else(|| format!("the value of {name} is never closed"))?;
    // Nothing that these options hold needs a backslash: OpenSSH has it for quotes only.
    if value.contains('\\') {
        return Err(format!("a backslash in the value of {name}"));
    }
    Ok((value, rest))
}

fn option(options: &mut Options, name: &str, value: &str) -> Result<(), String> {
    let twice = || format!("{name} is given twice");
    match name.to_ascii_lowercase().as_str() {
        "namespaces" if value.is_empty() => Err("namespaces is empty".to_owned()),
        "namespaces" => match options.namespaces.replace(value.to_owned()) {
            Some(_) => Err(twice()),
            None => Ok(()),
        },
        key @ ("valid-after" | "valid-before") => {
            let seconds = stamp::seconds(value).ok_or_else(|| {
                format!("{name}={value} is not a time like 20260131Z or 202601312359Z")
            })?;
            let slot = match key {
                "valid-after" => &mut options.valid_after,
                _ => &mut options.valid_before,
            };
            match slot.replace(seconds) {
                Some(_) => Err(twice()),
                None => Ok(()),
            }
        }
        _ => Err(format!("the option {name} is not known")),
    }
}

/// OpenSSH's pattern list: a name matches if a pattern does and no `!pattern` does.
pub(super) fn in_pattern_list(list: &str, name: &str) -> bool {
    let mut found = false;
    for pattern in list.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(pattern.as_bytes(), name.as_bytes()) => return false,
            Some(_) => {}
            None => found |= matches(pattern.as_bytes(), name.as_bytes()),
        }
    }
    found
}

/// `*` and `?`, without recursion: the last star is the only one worth going back to.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}
