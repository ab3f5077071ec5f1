//! Where compilers, interpreters and package managers lie in a home, and which of their settings hold
//! a key. Programs need the toolchains and most settings; keys are for the person alone. So settings
//! are read before they are let in, and a file with a key is not there for anybody who is confined.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders in a home that hold toolchains.
const FOLDERS: [&str; 15] = [
    ".cargo",
    ".rustup",
    ".pyenv",
    ".nvm",
    ".rbenv",
    ".asdf",
    ".volta",
    ".bun",
    ".deno",
    ".sdkman",
    ".local/bin",
    ".local/share/mise",
    ".local/share/uv/python",
    ".npm-global",
    "go",
];

/// Variables that say where a toolchain lies instead.
const VARIABLES: [&str; 9] = [
    "CARGO_HOME",
    "RUSTUP_HOME",
    "PYENV_ROOT",
    "NVM_DIR",
    "RBENV_ROOT",
    "ASDF_DATA_DIR",
    "VOLTA_HOME",
    "BUN_INSTALL",
    "SDKMAN_DIR",
];

/// Settings below a toolchain's folder that may hold keys; `*` is any one name.
const SETTINGS: [&str; 20] = [
    "config",
    "config.toml",
    "credentials",
    "credentials.toml",
    ".npmrc",
    "etc/npmrc",
    "versions/node/*/etc/npmrc",
    "versions/node/*/lib/node_modules/npm/npmrc",
    "tools/image/*/*/etc/npmrc",
    "installs/*/*/etc/npmrc",
    "installs/*/*/.npmrc",
    "installs/*/*/pip.conf",
    "versions/*/pip.conf",
    "versions/*/etc/gemrc",
    "versions/*/.npmrc",
    "versions/*/.pypirc",
    "candidates/maven/*/conf/settings.xml",
    "candidates/gradle/*/init.d/*",
    "etc/config",
    "env",
];

/// Settings of the whole machine.
const OF_THE_SYSTEM: [&str; 8] = [
    "/etc/npmrc",
    "/usr/etc/npmrc",
    "/usr/local/etc/npmrc",
    "/etc/pip.conf",
    "/etc/xdg/pip/pip.conf",
    "/etc/gemrc",
    "/etc/maven/settings.xml",
    "/etc/gitconfig",
];

/// What the name of a setting with a key has in it.
const OF_A_KEY: [&str; 6] = ["token", "password", "passwd", "secret", "_auth", "api_key"];
/// Longer settings are no settings.
const MOST: u64 = 1024 * 1024;

/// What confined programs may read of toolchains, and what of it is hidden from them.
#[derive(Debug)]
pub(crate) struct Toolchains {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) hidden: Vec<PathBuf>,
}

impl Toolchains {
    /// Those of the person who runs us. Of a repository's own environment nothing is among them: it is
    /// laid in with what is installed there.
    pub(crate) fn of_environment(repo: &Path) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let in_home = home
            .iter()
            .flat_map(|home| FOLDERS.map(|name| home.join(name)));
        let named = VARIABLES.iter().filter_map(std::env::var_os);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let active = std::env::split_paths(&path).filter_map(|folder| environment(&folder));
        let active = active.filter(|folder| !folder.starts_with(repo));
        let all = in_home.chain(named.map(PathBuf::from)).chain(active);
        Self::of(all.collect())
    }

    fn of(mut folders: Vec<PathBuf>) -> Self {
        folders.retain(|folder| folder.exists());
        folders.sort();
        folders.dedup();
        let inside = folders.iter().flat_map(|folder| {
            let all = SETTINGS.iter();
            all.flat_map(|pattern| matching(folder, pattern))
        });
        let system = OF_THE_SYSTEM.iter().map(PathBuf::from);
        let hidden = inside.chain(system).filter(|path| is_for_the_person(path));
        // Copies and files of one's own beside them (`config.toml.old`), under whatever name.
        let beside = folders.iter().flat_map(|folder| matching(folder, "*"));
        let mut hidden: Vec<PathBuf> = hidden
            .chain(beside.filter(|path| tells_a_key(path)))
            .collect();
        hidden.sort();
        hidden.dedup();
        Self {
            hidden,
            read: folders,
        }
    }
}

/// The environment that a folder of programs belongs to: one of Python's own, or one of conda.
fn environment(programs: &Path) -> Option<PathBuf> {
    let folder = programs.parent().filter(|_| programs.ends_with("bin"))?;
    let marks = ["pyvenv.cfg", "conda-meta"];
    let marked = marks.iter().any(|mark| folder.join(mark).exists());
    marked.then(|| folder.to_owned())
}

/// The files below a folder that a pattern names.
fn matching(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for part in pattern.split('/') {
        let step = |folder: &PathBuf| match part {
            "*" => fs::read_dir(folder)
                .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
                .unwrap_or_default(),
            name => vec![folder.join(name)],
        };
        found = found
            .iter()
            .flat_map(step)
            .filter(|path| path.exists())
            .collect();
    }
    found
}

/// Does this file hold a key? One that cannot be read, or is no text, is taken for one that does.
fn is_for_the_person(path: &Path) -> bool {
    let Ok(facts) = fs::metadata(path) else {
        return false;
    };
    if !facts.is_file() {
        return false;
    }
    let by_name = path.file_name().is_some_and(|name| {
        let name = name.to_string_lossy();
        name.starts_with("credentials")
    });
    let text = (facts.len() <= MOST)
        .then(|| fs::read_to_string(path).ok())
        .flatten();
    by_name || text.is_none_or(|text| holds_key(&text))
}

/// Is this a text that holds a key, and no program?
fn tells_a_key(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let Ok(facts) = fs::metadata(path) else {
        return false;
    };
    let program = facts.permissions().mode() & 0o111 != 0;
    facts.is_file()
        && !program
        && facts.len() <= MOST
        && fs::read_to_string(path).is_ok_and(|text| is_text(&text) && holds_key(&text))
}

/// No settings have a zero byte: cargo keeps a database here, which is looked at by every command.
fn is_text(text: &str) -> bool {
    !text.as_bytes().contains(&0)
}

fn holds_key(text: &str) -> bool {
    let named = |line: &str| {
        let line = line.trim();
        let Some(at) = line
            .find(['=', ':', '>'])
            .filter(|_| !line.starts_with(['#', ';']))
        else {
            return false;
        };
        // npm writes `//host/:_authToken=...`: the last sign before the value counts.
        let at = line.find('=').unwrap_or(at);
        let (name, value) = (line[..at].to_lowercase(), &line[at + 1..]);
        let value = value.trim().trim_matches(['"', '\'']);
        let given = !value.is_empty() && !value.starts_with('$') && !value.starts_with('<');
        given && OF_A_KEY.iter().any(|word| name.contains(word))
    };
    agents::redact(text, &[]) != text || text.lines().any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_active_environment_is_known_by_its_mark() {
        let home = tempfile::tempdir().unwrap();
        for (name, mark) in [("a", "pyvenv.cfg"), ("b", "conda-meta/history"), ("c", "x")] {
            let mark = home.path().join(name).join(mark);
            fs::create_dir_all(mark.parent().unwrap()).unwrap();
            fs::create_dir_all(home.path().join(name).join("bin")).unwrap();
            fs::write(mark, "").unwrap();
        }
        let of = |programs: &str| environment(&home.path().join(programs));
        assert_eq!(of("a/bin"), Some(home.path().join("a")));
        assert_eq!(of("b/bin"), Some(home.path().join("b")));
        assert_eq!((of("c/bin"), of("a")), (None, None));
    }

    #[test]
    fn settings_with_a_key_are_hidden_and_others_stay() {
        let home = tempfile::tempdir().unwrap();
        let cargo = home.path().join(".cargo");
        let nvm = home.path().join(".nvm");
        let files = [
            (
                ".cargo/config.toml",
                "[source.x]\nregistry = \"sparse+https://mirror.corp/\"\n",
                false,
            ),
            (
                ".cargo/config",
                "[registries.x]\ntoken = \"abcd1234\"\n",
                true,
            ),
            (".cargo/credentials.toml", "", true),
            (
                ".cargo/config.toml.old",
                "[registries.x]\ntoken = \"abcd1234\"\n",
                true,
            ),
            (".cargo/notes.txt", "what a token is\n", false),
            (
                ".cargo/env",
                "export PATH=\"$HOME/.cargo/bin:$PATH\"\n",
                false,
            ),
            (
                ".nvm/versions/node/v20/etc/npmrc",
                "//npm.corp/:_authToken=abcdef\n",
                true,
            ),
            (
                ".nvm/versions/node/v22/etc/npmrc",
                "prefix=/opt\nalways-auth=true\n//npm.corp/:_authToken=${TOKEN}\n",
                false,
            ),
            (
                ".nvm/.npmrc",
                "registry=https://bob:hunter2@npm.corp.io/\n",
                true,
            ),
        ];
        let mut expected = Vec::new();
        for (name, text, hidden) in files {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            if hidden {
                expected.push(path);
            }
        }
        let mut found = Toolchains::of(vec![nvm.clone(), cargo.clone(), cargo.clone()]);
        found.hidden.retain(|path| path.starts_with(home.path()));
        found.hidden.sort();
        expected.sort();
        assert_eq!(found.hidden, expected);
        assert_eq!(found.read, [cargo, nvm]);
    }
}
