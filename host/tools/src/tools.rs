//! Finds or installs the tools that build components from scripts.
//!
//! Each tool is pinned to one version and to the digests of its files. It is installed in its own
//! folder below the user's cache folder, so that all projects on this machine share it.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::Context;

use super::{hinted::Hinted, language::Language, output::Output, toolchain};

/// Environment variable that names another folder for the tools.
pub(crate) const VARIABLE: &str = "TOLLBRIDGE_TOOLS";

/// A tool that builds components, and its requirements.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Name and version of the tool; also the name of its folder.
    pub name: &'static str,
    /// The program that runs the tool, and the oldest supported version of that program.
    program: &'static str,
    oldest: (u32, u32),
    /// Arguments that make the program print its version.
    version: &'static [&'static str],
    /// Name of the language, for error messages.
    language: &'static str,
    install_hint: &'static str,
    /// Files that are written before the tool is installed: name and text.
    files: &'static [(&'static str, &'static str)],
    install: fn(&Path) -> anyhow::Result<()>,
    /// Returns the command that runs the tool, given the tool's folder.
    command: fn(&Path) -> Command,
}

static JS: Tool = Tool {
    name: "componentize-qjs-0.4.3",
    program: "node",
    oldest: (18, 0),
    version: &["--version"],
    language: "JavaScript",
    install_hint: "install Node.js 18 or newer with npm: https://nodejs.org, or on Debian `apt-get install nodejs npm`",
    files: &[
        ("package.json", include_str!("../templates/js/tools/package.json")),
        ("package-lock.json", include_str!("../templates/js/tools/package-lock.json")),
    ],
    install: install_js,
    command: command_js,
};

static PYTHON: Tool = Tool {
    name: "componentize-py-0.25.1",
    program: "python3",
    oldest: (3, 9),
    version: &["--version"],
    language: "Python",
    install_hint: "install Python 3.9 or newer with pip and venv: https://python.org, or on Debian \
                   `apt-get install python3 python3-venv`",
    files: &[("requirements.txt", include_str!("../templates/python/tools/requirements.txt"))],
    install: install_python,
    command: command_python,
};

impl Tool {
    /// Returns the tool of a language; `None` for Rust, which has its own toolchain.
    pub(crate) fn of(language: Language) -> Option<&'static Self> {
        match language {
            Language::Rust => None,
            Language::Js => Some(&JS),
            Language::Python => Some(&PYTHON),
        }
    }

    /// Returns a command that runs the tool, without arguments. A missing tool is announced and
    /// installed.
    pub(crate) fn ready(&self, out: &Output) -> anyhow::Result<Command> {
        self.check_program(self.program, &printed(self.program, self.version))?;
        let folder = tools_folder(|name| env::var_os(name))?.join(self.name);
        if !self.works(&folder) {
            out.note(&format!("Installing {} into {}", self.name, folder.display()));
            let hint = || {
                let reason =
                    "it is downloaded once, so the package registry must be reachable; if a program is missing,";
                format!("{reason} {}", self.install_hint)
            };
            self.install_into(&folder).map_err(|error| Hinted::error(format!("{error:#}"), hint()))?;
            anyhow::ensure!(self.works(&folder), "{} was installed but does not run", self.name);
        }
        Ok((self.command)(&folder))
    }

    fn check_program(&self, program: &str, printed: &Option<String>) -> anyhow::Result<()> {
        let installed = printed.as_deref().map(|text| (text, version(text)));
        let problem = match installed {
            Some((_, Some(version))) if version >= self.oldest => return Ok(()),
            Some((text, Some(_))) => format!("is too old here ({})", text.trim()),
            Some((_, None)) => "does not report its version".to_owned(),
            None => "is not in PATH".to_owned(),
        };
        let message = format!("a {} plugin is built with `{program}`, which {problem}", self.language);
        Err(Hinted::error(message, self.install_hint))
    }

    /// Returns whether the installed tool runs; its folder may be incomplete, or its interpreter
    /// may have been deleted.
    fn works(&self, folder: &Path) -> bool {
        let mut command = (self.command)(folder);
        let status = command.arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        folder.exists() && status.is_ok_and(|status| status.success())
    }

    /// Installs the tool into a temporary folder, then moves that folder into place.
    fn install_into(&self, folder: &Path) -> anyhow::Result<()> {
        let parent = folder.parent().context("the folder of the tools has no parent")?;
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        let aside = tempfile::Builder::new().prefix(".new-").tempdir_in(parent)?;
        for (name, text) in self.files {
            fs::write(aside.path().join(name), text)?;
        }
        (self.install)(aside.path())?;
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot replace {}", folder.display()))?;
        }
        match fs::rename(aside.path(), folder) {
            // Another process installed the tool at the same time.
            Err(_) if self.works(folder) => Ok(()),
            done => done.with_context(|| format!("cannot make {}", folder.display())),
        }
    }
}

fn install_js(folder: &Path) -> anyhow::Result<()> {
    let arguments = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    toolchain::run(Command::new("npm").args(arguments).current_dir(folder))
}

fn command_js(folder: &Path) -> Command {
    let mut command = Command::new("node");
    command.arg(folder.join("node_modules/componentize-qjs/bin/componentize-qjs"));
    command
}

fn install_python(folder: &Path) -> anyhow::Result<()> {
    toolchain::run(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(folder))?;
    let arguments = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"];
    let mut pip = Command::new(folder.join("venv/bin/python"));
    toolchain::run(pip.args(arguments).args(["--only-binary=:all:", "-r", "requirements.txt"]).current_dir(folder))
}

fn command_python(folder: &Path) -> Command {
    let mut command = Command::new(folder.join("venv/bin/python"));
    // Run the module, not the installed script, which contains the path of the temporary folder.
    command.args(["-c", "from componentize_py import script; script()"]);
    command
}

/// Returns the folder of all tools, as set by environment variables.
fn tools_folder(variable: impl Fn(&str) -> Option<OsString>) -> anyhow::Result<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = || folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    let installed = folder(VARIABLE).or_else(|| cache().map(|cache| cache.join("tollbridge").join("tools")));
    installed.ok_or_else(|| {
        Hinted::error(
            "there is no folder to install tools into",
            format!("set HOME, or {VARIABLE} to an absolute path"),
        )
    })
}

fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the major and minor number of the first version in a text.
fn version(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let mut numbers = text.get(start..)?.split('.').map(|part| part.trim().parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_programs_print() {
        for (text, expect) in [
            ("v20.20.2\n", Some((20, 20))),
            ("Python 3.11.7\n", Some((3, 11))),
            ("v18.0.0", Some((18, 0))),
            ("node", None),
            ("7", None),
        ] {
            assert_eq!(version(text), expect, "{text}");
        }
    }

    fn check_program(tool: &Tool, printed: Option<&str>, expect: &str) {
        let checked = tool.check_program(tool.program, &printed.map(str::to_owned));
        let said = checked.err().map(|error| {
            let hint = error.downcast_ref::<Hinted>().map(|hinted| hinted.hint.clone()).unwrap_or_default();
            assert!(hint.contains("install") && hint.contains("apt-get"), "{hint}");
            error.to_string()
        });
        assert!(said.as_deref().unwrap_or("fine").contains(expect), "{said:?}");
    }

    #[test]
    fn a_missing_or_old_program_is_named_with_the_way_out() {
        check_program(&JS, Some("v20.20.2\n"), "fine");
        check_program(&JS, Some("v16.13.0\n"), "`node`, which is too old here (v16.13.0)");
        check_program(&JS, None, "`node`, which is not in PATH");
        check_program(&PYTHON, Some("Python 3.9.2\n"), "fine");
        check_program(&PYTHON, Some("Python 3.8.10\n"), "`python3`, which is too old here (Python 3.8.10)");
        check_program(&PYTHON, Some("?"), "does not report its version");
    }

    #[test]
    fn tools_are_pinned_to_digests() {
        let lock: serde_json::Value = serde_json::from_str(JS.files[1].1).expect("JSON");
        let packages = lock["packages"].as_object().expect("packages");
        let pinned = packages.iter().filter(|(path, _)| !path.is_empty());
        assert!(pinned.clone().count() > 1);
        for (path, package) in pinned {
            assert!(package["integrity"].as_str().is_some_and(|text| text.starts_with("sha512-")), "{path}");
            assert!(package["version"] == "0.4.3" && package["resolved"].is_null(), "{path}");
        }
        assert!(JS.name.ends_with("-0.4.3"));
        assert!(PYTHON.files[0].1.starts_with("componentize-py==0.25.1 \\\n    --hash=sha256:"));
    }

    #[test]
    fn tools_live_where_the_environment_says() {
        let check = |set: &[(&str, &str)], expect: Option<&str>| {
            let variable = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
            assert_eq!(tools_folder(variable).ok(), expect.map(PathBuf::from), "{set:?}");
        };
        check(&[("HOME", "/h")], Some("/h/.cache/tollbridge/tools"));
        check(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")], Some("/c/tollbridge/tools"));
        check(&[("HOME", "/h"), ("TOLLBRIDGE_TOOLS", "/t")], Some("/t"));
        check(&[("HOME", "/h"), ("TOLLBRIDGE_TOOLS", "t")], Some("/h/.cache/tollbridge/tools"));
        check(&[], None);
    }

    #[test]
    fn a_tool_comes_whole_or_not_at_all() {
        fn fails(_: &Path) -> anyhow::Result<()> {
            anyhow::bail!("no network")
        }
        fn makes(folder: &Path) -> anyhow::Result<()> {
            Ok(fs::write(folder.join("there"), "")?)
        }
        fn looks(folder: &Path) -> Command {
            let mut command = Command::new("test");
            command.args(["-e".as_ref(), folder.join("there").as_os_str(), "-o".as_ref()]);
            command
        }
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("tools").join("one");
        let tool = |install| Tool { install, command: looks, ..JS };
        assert!(tool(fails).install_into(&folder).is_err());
        assert_eq!(root.path().join("tools").read_dir().expect("a folder").count(), 0);
        fs::create_dir_all(&folder).expect("half a tool");
        tool(makes).install_into(&folder).expect("installed");
        assert!(folder.join("there").exists());
        assert_eq!(root.path().join("tools").read_dir().expect("a folder").count(), 1);
    }
}
