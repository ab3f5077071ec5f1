//! What an external agent needs on top of its order's policy: its own program, its home in the view,
//! and its provider's hosts.

use sandbox::{Endpoint, Network, Policy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The order's policy, with what this agent needs itself.
pub(super) fn policy(
    given: Option<&Policy>,
    program: &str,
    hosts: &[&str],
    env: &BTreeMap<String, String>,
    links: Vec<PathBuf>,
    view: &Path,
) -> Option<Policy> {
    let mut policy = given?.clone();
    let path = env.get("PATH").map_or("", String::as_str);
    policy.read.extend(program_roots(program, path, view));
    policy.read.extend(links);
    policy.home = env.get("HOME").map(PathBuf::from);
    if let Network::Endpoints(allowed) = &mut policy.network {
        allowed.extend(hosts.iter().map(|host| Endpoint::new(*host, 443)));
        let bases = env.iter().filter(|(name, _)| name.ends_with("_BASE_URL"));
        allowed.extend(bases.filter_map(|(_, url)| endpoint(url)));
    }
    Some(policy)
}

/// The folders that a program is made of: where its name is, where it really lies, and for one
/// from npm its `node_modules`.
pub(crate) fn program_roots(program: &str, path: &str, view: &Path) -> Vec<PathBuf> {
    let named = Path::new(program);
    let found = if named.is_absolute() {
        Some(named.to_owned())
    } else {
        std::env::split_paths(path)
            .map(|folder| folder.join(program))
            .find(|file| file.is_file())
    };
    let Some(found) = found else {
        return Vec::new();
    };
    let real = found.canonicalize().unwrap_or_else(|_| found.clone());
    let mut roots: Vec<PathBuf> = [&found, &real]
        .iter()
        .filter_map(|file| file.parent())
        .map(Path::to_owned)
        .collect();
    for file in [&found, &real] {
        let modules = file
            .ancestors()
            .filter(|folder| folder.ends_with("node_modules"));
        roots.extend(modules.last().map(Path::to_owned));
    }
    // A folder that holds the home, or the view and with it the repository, is nobody's program
    // folder: then the file alone is given.
    let home = std::env::home_dir();
    let holds = |root: &Path, inner: &Path| inner.starts_with(root);
    roots.retain(|root| {
        root.components().count() > 2
            && !holds(root, view)
            && !home.as_ref().is_some_and(|home| holds(root, home))
    });
    roots.extend([found, real]);
    roots.sort();
    roots.dedup();
    roots
}

/// The host and port of a base URL: somebody set it, so it may lead into their own network.
pub(super) fn endpoint(url: &str) -> Option<Endpoint> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    let authority = authority.rsplit('@').next()?;
    let port = if scheme == "http" { 80 } else { 443 };
    Endpoint::read(authority, Some(port)).map(Endpoint::anywhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_gives_its_host_and_port() {
        assert_eq!(
            endpoint("https://api.example.org/v1"),
            Some(Endpoint::new("api.example.org", 443).anywhere())
        );
        assert_eq!(
            endpoint("http://127.0.0.1:8080"),
            Some(Endpoint::new("127.0.0.1", 8080))
        );
        assert_eq!(endpoint("nonsense"), None);
    }

    #[test]
    fn only_endpoints_are_widened_and_only_by_the_providers_own() {
        let env = BTreeMap::from([(
            "ANTHROPIC_BASE_URL".to_owned(),
            "http://127.0.0.1:9".to_owned(),
        )]);
        let mut given = Policy::confined(["/usr"], Vec::<PathBuf>::new());
        let network = |given: &Policy| {
            policy(
                Some(given),
                "sh",
                &["a.example"],
                &env,
                Vec::new(),
                Path::new("/view"),
            )
            .unwrap()
            .network
        };
        assert_eq!(network(&given), Network::None);
        given.network = Network::Endpoints(Vec::new());
        let want = [
            Endpoint::new("a.example", 443),
            Endpoint::new("127.0.0.1", 9),
        ];
        assert_eq!(network(&given), Network::Endpoints(want.to_vec()));
        assert_eq!(
            policy(None, "sh", &[], &env, Vec::new(), Path::new("/view")),
            None
        );
    }

    /// A folder outside of the home whose path has no links in it.
    fn scratch() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        (dir, path)
    }

    fn file(path: &Path) -> String {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
        path.display().to_string()
    }

    #[test]
    fn a_program_gets_its_own_folder_and_no_other() {
        let (_dir, top) = scratch();
        let program = file(&top.join("tools/bin/agent"));
        file(&top.join("tools/secret/key"));
        let roots = program_roots(&program, "", Path::new("/view"));
        assert_eq!(roots, [top.join("tools/bin"), top.join("tools/bin/agent")]);
    }

    #[test]
    fn one_from_npm_gets_its_modules_and_the_folder_of_its_name() {
        let (_dir, top) = scratch();
        let real = top.join("lib/node_modules/@org/agent/dist/cli.js");
        file(&real);
        std::fs::create_dir_all(top.join("bin")).unwrap();
        std::os::unix::fs::symlink(&real, top.join("bin/agent")).unwrap();
        let path = format!("/nowhere:{}", top.join("bin").display());
        let mut want = vec![
            top.join("bin"),
            top.join("bin/agent"),
            top.join("lib/node_modules"),
            real.parent().unwrap().to_owned(),
            real.clone(),
        ];
        want.sort();
        assert_eq!(program_roots("agent", &path, Path::new("/view")), want);
    }

    #[test]
    fn a_folder_that_holds_the_view_the_home_or_much_else_is_not_given() {
        let (_dir, top) = scratch();
        let beside = file(&top.join("place/agent"));
        let view = top.join("place/repo/.proofhouse/t/e1/view");
        assert_eq!(program_roots(&beside, "", &view), [PathBuf::from(&beside)]);
        let home = std::env::home_dir().expect("these tests run in somebody's home");
        let in_home = home.join("proofhouse-no-such-agent");
        let given = program_roots(&in_home.display().to_string(), "", Path::new("/view"));
        assert_eq!(given, [in_home]);
        let shallow = program_roots("/opt/proofhouse-no-such-agent", "", Path::new("/view"));
        assert_eq!(shallow, [PathBuf::from("/opt/proofhouse-no-such-agent")]);
        assert_eq!(
            program_roots("proofhouse-no-such-agent", "/usr/bin", Path::new("/view")),
            Vec::<PathBuf>::new()
        );
    }
}
