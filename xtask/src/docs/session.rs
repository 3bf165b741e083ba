//! A shell session in a fresh folder.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Timeout of a command.
const PATIENCE: Duration = Duration::from_secs(120);
/// Timeout for starting a server.
const START: Duration = Duration::from_secs(30);
/// The address that pages use.
const SHOWN_ADDRESS: &str = "127.0.0.1:7700";
/// The home that pages show.
const SHOWN_HOME: &str = "/home/ada";
/// What a person's settings could change, besides variables of Brain; a page starts without it.
const FORGOTTEN: [&str; 4] = ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "RUST_LOG"];

/// A shell in a temporary folder. Both are removed when this is dropped.
pub(super) struct Session {
    shell: Child,
    input: ChildStdin,
    codes: Receiver<String>,
    home: PathBuf,
    /// Scripts and outputs, outside the home so that a page does not see them.
    scratch: PathBuf,
    address: String,
    commands: usize,
}

impl Session {
    /// Starts a shell with `brain` in its path and `packs/` in its folder.
    pub(super) fn start(binary: &Path, packs: &Path) -> Result<Self> {
        let stamp = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_nanos();
        let scratch = std::env::temp_dir().join(format!("brain-docs-{}-{stamp}", std::process::id()));
        let home = scratch.join("home");
        let tools = scratch.join("bin");
        for folder in [&home, &tools] {
            std::fs::create_dir_all(folder)?;
        }
        symlink(binary, tools.join("brain"))?;
        symlink(packs, home.join("packs"))?;
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc"])
            .current_dir(&home)
            .envs([("HOME", home.as_os_str()), ("PATH", format!("{}:{path}", tools.display()).as_ref())])
            .envs([("NO_COLOR", "1"), ("TERM", "dumb"), ("LC_ALL", "C.UTF-8"), ("TZ", "UTC")])
            // Requests of a page to its own server must not go through a proxy.
            .envs([("NO_PROXY", "127.0.0.1,localhost"), ("no_proxy", "127.0.0.1,localhost")])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let of_brain =
            std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("BRAIN_"));
        for variable in FORGOTTEN.into_iter().map(Into::into).chain(of_brain) {
            command.env_remove(variable);
        }
        // The same actor on every machine.
        command.env("BRAIN_AS", "ann");
        let mut shell = command.spawn().context("bash cannot be started")?;
        let input = shell.stdin.take().context("the shell has no stdin")?;
        let output = shell.stdout.take().context("the shell has no stdout")?;
        let (send, codes) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(std::io::Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        Ok(Self { shell, input, codes, home, scratch, address: free, commands: 0 })
    }

    /// Replaces the address on the pages by that of this session.
    pub(super) fn with_port(&self, text: &str) -> String {
        text.replace(SHOWN_ADDRESS, &self.address)
    }

    /// The output with the address and the folder that pages use.
    pub(super) fn as_shown(&self, output: &str) -> String {
        let home = self.home.to_string_lossy();
        output.replace(&self.address, SHOWN_ADDRESS).replace(home.as_ref(), SHOWN_HOME)
    }

    /// Writes a file below the home.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<()> {
        if path.starts_with('/') || path.split('/').any(|part| part == ".." || part == "packs") {
            bail!("`{path}` is not inside the page's own folder");
        }
        let path = self.home.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&self.home))?;
        Ok(std::fs::write(path, text)?)
    }

    /// Runs a command in the shell; returns its exit code and output.
    pub(super) fn run(&mut self, command: &str) -> Result<(i32, String)> {
        self.commands += 1;
        let script = self.scratch.join(format!("{}.sh", self.commands));
        let said = self.scratch.join(format!("{}.out", self.commands));
        std::fs::write(&script, format!("{command}\n"))?;
        // Sourced, so that variables and background jobs persist.
        writeln!(self.input, ". '{}' >'{}' 2>&1 </dev/null; echo $?", script.display(), said.display())?;
        let said_so_far =
            || std::fs::read(&said).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let Ok(code) = self.codes.recv_timeout(PATIENCE) else {
            bail!("no answer within {} s; it printed:\n{}", PATIENCE.as_secs(), said_so_far());
        };
        if let Some(address) = server_address(command)? {
            wait_for(&address).with_context(|| format!("it printed:\n{}", said_so_far()))?;
        }
        Ok((code.trim().parse()?, said_so_far()))
    }
}

/// The address of a server that the command starts in the background.
fn server_address(command: &str) -> Result<Option<String>> {
    let words: Vec<&str> = command.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
    if words.last() != Some(&"&") || !words.contains(&"serve") {
        return Ok(None);
    }
    let option = words.iter().position(|word| *word == "--addr").and_then(|at| words.get(at + 1));
    option.map(|address| Some((*address).to_owned())).context("a server in a page needs `--addr`")
}

/// Waits until a server is healthy.
fn wait_for(address: &str) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < START {
        if healthy(address).unwrap_or(false) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("http://{address}/healthz does not answer")
}

fn healthy(address: &str) -> Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    // In one write, because a server may answer and close after the first line.
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.split(' ').nth(1) == Some("200"))
}

impl Drop for Session {
    /// Ends the page's background processes, the shell last. Only its own process group is affected.
    fn drop(&mut self) {
        let group = format!("-{}", self.shell.id());
        for signal in ["-TERM", "-KILL"] {
            // Errors are ignored, because nothing can be done about them here.
            drop(Command::new("kill").args([signal, "--", &group]).stderr(Stdio::null()).status());
            std::thread::sleep(Duration::from_millis(100));
        }
        drop(self.shell.wait());
        drop(std::fs::remove_dir_all(&self.scratch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_persist_and_codes_and_output_are_returned() {
        let mut session = Session::start(Path::new("/bin/true"), Path::new("/")).unwrap();
        assert_eq!(session.run("X=7; brain && echo yes").unwrap(), (0, "yes\n".into()));
        assert_eq!(session.run("echo $X; false").unwrap(), (1, "7\n".into()));
        assert_eq!(session.run("if").unwrap().0, 2);
        session.write("a/b.txt", "hello\n").unwrap();
        assert_eq!(session.run("cat a/b.txt; sleep 60 &").unwrap(), (0, "hello\n".into()));
        assert!(session.write("../x", "").is_err());
        let folder = session.scratch.clone();
        drop(session);
        assert!(!folder.exists());
    }

    #[test]
    fn only_a_background_server_is_awaited() {
        let serve = "brain serve --store sqlite:x.db --addr 127.0.0.1:7700 &";
        assert_eq!(server_address(serve).unwrap().as_deref(), Some("127.0.0.1:7700"));
        assert_eq!(server_address("sleep 1 &").unwrap(), None);
        assert!(server_address("brain serve &").is_err());
    }

    #[test]
    fn a_server_is_healthy_after_a_200() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = std::thread::spawn(move || {
            for status in ["503 Service Unavailable", "200 OK"] {
                let (mut stream, _) = listener.accept().unwrap();
                // Read the whole request: closing with unread data would reset the connection.
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).unwrap();
                    request.push(byte[0]);
                }
                assert!(request.starts_with(b"GET /healthz "));
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        wait_for(&address).unwrap();
        server.join().unwrap();
    }
}
