//! The manual and the completions know every command and option.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::process::{Command, Stdio};

fn tabiya(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The names of all commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = tabiya(&["--help"]);
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    list.take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_ascii_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Feeds a text to a program, if that program is installed; `false` if it refuses.
fn accepts(program: &str, args: &[&str], text: &str) -> bool {
    let started = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = started else {
        println!("skipped: {program} is not installed");
        return true;
    };
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait().unwrap().success()
}

#[test]
fn the_manual_names_every_command_and_each_has_a_page() {
    let page = tabiya(&["man"]);
    assert!(page.contains(".TH tabiya 1"), "{page}");
    let commands = commands();
    assert!(commands.len() > 10, "{commands:?}");
    for name in commands {
        assert!(page.contains(&format!("tabiya\\-{name}(1)")), "{name} is not in the manual");
        let own = tabiya(&["man", &name]);
        assert!(own.contains(&format!(".TH tabiya-{name} 1")), "{own}");
        // The options of the help are those of the page.
        let help = tabiya(&[&name, "--help"]);
        let options = help.split_ascii_whitespace().filter(|word| word.starts_with("--"));
        for option in options
            .map(|word| word.trim_end_matches([',', '.', ':', ';', ')', ']', '\'', '"', '`']))
        {
            let bare = option.split(['=', '[']).next().unwrap_or(option);
            assert!(own.replace("\\-", "-").contains(bare), "{name}: {bare} is not in its page");
        }
    }
    assert!(accepts("groff", &["-man", "-Tascii", "-ww", "-z"], &page));
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = tabiya(&["completions", shell]);
        for name in commands() {
            assert!(script.contains(&name), "{shell} does not know {name}");
        }
        for option in ["--multipv", "--max-nodes"] {
            let bare = option.trim_start_matches('-');
            assert!(script.contains(bare), "{shell} does not know {option}");
        }
        match shell {
            "bash" => assert!(accepts("bash", &["-n", "/dev/stdin"], &script)),
            "zsh" => assert!(accepts("zsh", &["-n", "/dev/stdin"], &script)),
            "fish" => assert!(accepts("fish", &["-n", "/dev/stdin"], &script)),
            _ => {}
        }
    }
}

#[test]
fn an_unknown_page_or_shell_is_wrong_usage() {
    for args in [["man", "nonsense"], ["completions", "nonsense"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_tabiya")).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}
