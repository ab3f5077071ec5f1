//! Which files are tests, and which decide how tests are found and run, and with which versions: manifests,
//! configuration and lockfiles of the runners that we know; which say what is tried elsewhere; and on which
//! tools act by themselves. One table each for all who ask.

use Decides::{Building, Packages, Tests};

/// What a file decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decides {
    /// How tests run, and nothing else.
    Tests,
    /// What the code depends on: honest work may have to change it, where a person has approved it.
    Packages,
    /// How code is built, started or checked, tests among it.
    Building,
}

/// Files by their names; a glob stays in its folder. Those with recipes are [`crate::recipes::FILES`].
pub const DECIDING: [(&str, Decides); 46] = [
    ("Cargo.toml", Packages),
    ("Cargo.lock", Packages),
    (".cargo/config.toml", Tests),
    (".cargo/config", Tests),
    (".config/nextest.toml", Tests),
    ("rust-toolchain.toml", Building),
    ("rust-toolchain", Building),
    ("go.mod", Packages),
    ("go.sum", Packages),
    ("go.work", Building),
    ("go.work.sum", Packages),
    ("package.json", Packages),
    ("package-lock.json", Packages),
    ("npm-shrinkwrap.json", Packages),
    ("yarn.lock", Packages),
    ("pnpm-lock.yaml", Packages),
    ("pnpm-workspace.yaml", Building),
    ("bun.lock", Packages),
    ("bun.lockb", Packages),
    ("bunfig.toml", Tests),
    (".npmrc", Building),
    ("tsconfig*.json", Building),
    ("babel.config.*", Tests),
    (".babelrc*", Tests),
    ("jest.config.*", Tests),
    ("vitest.config.*", Tests),
    ("vitest.workspace.*", Tests),
    ("vite.config.*", Building),
    (".mocharc*", Tests),
    ("conftest.py", Tests),
    ("sitecustomize.py", Tests),
    ("usercustomize.py", Tests),
    ("pytest.ini", Tests),
    (".pytest.ini", Tests),
    ("pyproject.toml", Packages),
    ("setup.cfg", Tests),
    ("setup.py", Building),
    ("tox.ini", Tests),
    ("requirements*.txt", Packages),
    ("uv.lock", Packages),
    ("poetry.lock", Packages),
    ("pdm.lock", Packages),
    ("Pipfile.lock", Packages),
    (".coveragerc", Tests),
    // Metadata of a package that lies in the tree: pytest loads the plugins that it names.
    ("*.egg-info/entry_points.txt", Tests),
    ("*.dist-info/entry_points.txt", Tests),
];

/// What is a test, wherever people put tests: globs from a repository's top.
pub const TESTS: [&str; 12] = [
    "**/tests/**",
    "**/test/**",
    "**/__tests__/**",
    "**/spec/**",
    "**/*_test.*",
    "**/*_spec.*",
    "**/test_*.py",
    "**/*.test.*",
    "**/*.spec.*",
    "**/*-test.*",
    "**/test-*.*",
    // By the name alone where tests are called so; `cmd/test.go` is a command, and `test.md` a text.
    "**/{test,tests}.{js,mjs,cjs,jsx,ts,mts,cts,tsx,py,rs,sh,bats,rb,php,pl,lua,c,cc,cpp,cs,swift,kt,ex,exs,zig,hs,ml}",
];

/// What says what is tried elsewhere, or before a commit: globs from a repository's top.
pub const CI: [&str; 17] = [
    ".github/workflows/**",
    ".github/actions/**",
    ".gitlab-ci.yml",
    ".gitlab/ci/**",
    ".circleci/**",
    ".buildkite/**",
    ".woodpecker/**",
    ".woodpecker.y*ml",
    ".drone.yml",
    ".travis.yml",
    ".cirrus.yml",
    ".appveyor.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
    ".pre-commit-config.yaml",
];

/// What tools act on because it is there, when somebody opens, enters, builds, installs or starts the
/// repository, or has an agent work in it: everything hidden, and some by their names. Globs from a
/// repository's top.
pub const ACTING: [&str; 43] = [
    "**/.*",
    "**/.*/**",
    "**/AGENTS*.md",
    "**/QWEN.md",
    "**/SKILL.md",
    "**/WARP.md",
    "**/copilot-instructions.md",
    "**/crush.json",
    "**/opencode.json*",
    // What git itself runs from, where a folder of its own lies in a tree.
    "**/HEAD",
    "**/lefthook.*",
    "**/mise.toml",
    "**/devbox.json",
    "**/default.nix",
    "**/*pnpmfile.*js",
    "**/*.gradle*",
    "**/Directory.Build.*",
    "**/cloudbuild.y*ml",
    "**/wercker.yml",
    "**/hatch_build.py",
    "**/CLAUDE*.md",
    "**/GEMINI*.md",
    "**/*.code-workspace",
    "**/*.pth",
    "**/Brewfile",
    "**/Containerfile*",
    "**/Dockerfile*",
    "**/*.dockerfile",
    "**/Procfile*",
    "**/Tiltfile",
    "**/Vagrantfile",
    "**/binding.gyp",
    "**/build.rs",
    "**/compose*.y*ml",
    "**/devenv.nix",
    "**/docker-compose*.y*ml",
    "**/flake.nix",
    "**/fly.toml",
    "**/netlify.toml",
    "**/setup.py",
    "**/shell.nix",
    "**/vercel.json",
    "**/wrangler.*",
];

/// What is hidden and does nothing.
pub const IDLE: [&str; 3] = ["**/.*ignore", "**/.*keep", "**/.editorconfig"];
