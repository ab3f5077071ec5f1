//! What a module does by itself, outside of functions, only where something holds: no test may ever have met it.
//! What it does always is done when a test imports it.

use crate::declared::without_texts;

/// Words before which a block of Python is entered only sometimes.
const SOMETIMES: [&str; 6] = ["if ", "elif ", "else:", "except", "while ", "case "];
/// What may be called where a module is the program, beside functions of its own.
const PROGRAM: [&str; 6] = [
    "print",
    "sys.exit",
    "exit",
    "SystemExit",
    "asyncio.run",
    "unittest.main",
];

/// Lines of Python.
pub(super) fn python(text: &str) -> Vec<usize> {
    let code = without_texts("a.py", text);
    let own = |name: &str| text.contains(&format!("def {name}("));
    let mut found = Vec::new();
    // How deep a function, and the outermost block that is entered sometimes, stand.
    let (mut function, mut block): (Option<usize>, Option<Block>) = (None, None);
    for (at, line) in code.lines().enumerate() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ')', ']', '}']) {
            continue;
        }
        let depth = line.len() - line.trim_start().len();
        function = function.filter(|outer| depth > *outer);
        if function.is_some() {
            continue;
        }
        if bare.starts_with("def ") || bare.starts_with("async def ") {
            function = Some(depth);
            continue;
        }
        block = block.filter(|outer| depth > outer.depth);
        let begins = SOMETIMES.iter().any(|word| bare.starts_with(word));
        let (head, body) = match begins {
            true => bare.split_once(": ").unwrap_or((bare, "")),
            false => ("", bare),
        };
        if begins && block.is_none() {
            let program = head.contains("__name__");
            block = Some(Block { depth, program });
        }
        let acts = |text: &str| called(text).next().is_some() || sets(text);
        let fine = |name: &str| PROGRAM.contains(&name) || own(name);
        let of_program = block.as_ref().is_some_and(|block| block.program);
        let harmless = of_program && !sets(body) && called(body).all(fine);
        let made = body.contains(" for ") || body.starts_with("assert ");
        let choice = !made && chooses(body, &[" and ", " or ", " else "], " if ");
        if acts(body) && !harmless && (block.is_some() || choice) {
            found.push(at);
        }
    }
    found
}

struct Block {
    depth: usize,
    /// It is entered where the module is the program.
    program: bool,
}

/// Is something called behind one of these words, or before the last one, which is done only sometimes?
fn chooses(text: &str, behind: &[&str], before: &str) -> bool {
    let acts = |part: &str| called(part).next().is_some();
    let mut behind = behind.iter().filter_map(|word| text.split_once(word));
    let value = |text: &str| acts(text.split_once('=').map_or(text, |(_, value)| value));
    behind.any(|(_, part)| acts(part))
        || !before.is_empty() && text.split_once(before).is_some_and(|(part, _)| value(part))
}

/// What is called in a line.
fn called(text: &str) -> impl Iterator<Item = &str> {
    let heads = text.match_indices('(').map(|(at, _)| &text[..at]);
    let names = heads.map(|head| {
        let word = |one: char| one.is_alphanumeric() || "_.$".contains(one);
        let begins = head.trim_end_matches(word).len();
        &head[begins..]
    });
    let words = [
        "", "if", "for", "while", "switch", "catch", "return", "and", "or", "not", "in",
    ];
    names.filter(move |name| !words.contains(name))
}

/// Is something set that belongs to something else?
fn sets(text: &str) -> bool {
    let target = text.split('=').next().unwrap_or_default().trim_end();
    text.contains('=') && target.contains(['.', '[']) && !target.contains(['(', ' ', '"'])
}

/// Lines of JavaScript.
pub(super) fn javascript(text: &str) -> Vec<usize> {
    let code = without_texts("a.js", text);
    let own = |name: &str| text.contains(&format!("function {name}("));
    let mut found = Vec::new();
    let mut depth = 0_i32;
    // Where the block that is entered sometimes began, and whether it is what the program does.
    let mut block: Option<(i32, bool)> = None;
    for (at, line) in code.lines().enumerate() {
        let bare = line.trim().trim_start_matches(['}', ' ']);
        let begins = ["if ", "if(", "else", "switch", "while", "catch"];
        let begins = begins.iter().any(|word| bare.starts_with(word));
        let outermost = depth == 0 || line.starts_with('}');
        if outermost && block.is_some_and(|(outer, _)| depth <= outer || line.starts_with('}')) {
            block = None;
        }
        let program = bare.contains("require.main") || bare.contains("import.meta");
        let harmless = |program: bool| program && called(bare).all(own);
        let body = match bare.rfind(')') {
            // What follows the condition.
            Some(_) if begins => after_condition(bare),
            _ if begins => "",
            _ => bare,
        };
        let acts = called(body).next().is_some() || sets(body);
        let inside = block.is_some_and(|(_, program)| !harmless(program));
        let choice = chooses(bare, &["&&", "||", "??", " ? "], "");
        let makes = bare.contains("=>") || bare.contains("function") || bare.starts_with("class ");
        let alone = outermost && !makes && (begins && !harmless(program) || choice);
        if acts && (inside || alone) {
            found.push(at);
        }
        if outermost && begins {
            block = Some((depth, program));
        }
        let count = |marks: &[char]| i32::try_from(line.matches(marks).count()).unwrap_or(0);
        depth += count(&['{', '(', '[']) - count(&['}', ')', ']']);
        if depth <= 0 && block.is_some() && !line.trim_end().ends_with(['{', ')']) {
            block = None;
        }
    }
    found
}

/// What a line says behind the condition that it begins with.
fn after_condition(line: &str) -> &str {
    let mut depth = 0_i32;
    for (at, one) in line.char_indices() {
        depth += i32::from(one == '(') - i32::from(one == ')');
        if one == ')' && depth == 0 {
            return line[at + 1..].trim();
        }
    }
    ""
}
