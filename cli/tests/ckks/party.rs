// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party`: sessions from keys to decryptions, each command in its own process, and
//! everything that the commands refuse.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::common::{halimede, Outcome};

/// A folder in which the commands run.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs `halimede ckks` with the words of a line. Words that begin with `@` are paths in the
    /// folder, also behind `=`.
    fn run(&self, line: &str) -> Outcome {
        let word = |word: &str| word.replace('@', &format!("{}/", self.0.path().display()));
        let words: Vec<String> =
            std::iter::once("ckks".to_owned()).chain(line.split_whitespace().map(word)).collect();
        halimede(&words.iter().map(String::as_str).collect::<Vec<_>>(), b"")
    }

    fn ok(&self, line: &str) -> Outcome {
        let outcome = self.run(line);
        assert_eq!(outcome.code, Some(0), "{line}: {}", outcome.stderr);
        outcome
    }

    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.ok(&format!("{line} --json")).stdout).unwrap()
    }

    /// Runs a command that fails as bad input, and returns what it says.
    fn refused(&self, line: &str) -> String {
        let outcome = self.run(line);
        assert_eq!(outcome.code, Some(2), "{line}: {}{}", outcome.stdout, outcome.stderr);
        outcome.stderr
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Lets these parties join a session and make keys, up to the folder `keys`.
    fn keys(&self, names: &[&str], options: &str) {
        let parties: String = names.iter().map(|name| format!(" --party {name}")).collect();
        let session = format!("party session --params n10-insecure{parties} {options}");
        self.ok(&format!("{session} --out @s.session"));
        let has_products = options.contains("--multiply");
        for name in names {
            self.ok(&format!("party join @s.session --name {name} --state @{name}.party"));
            let products =
                if has_products { format!("--products @{name}.p") } else { String::new() };
            self.ok(&format!("party keys --state @{name}.party --out @{name}.keys {products}"));
        }
        let mut all = String::new();
        for name in names {
            all += &format!(" --from {name}=@{name}.keys");
            if has_products {
                let others = names.iter().filter(|other| *other != name);
                let from: String = others.map(|o| format!(" --from {o}=@{o}.p")).collect();
                self.ok(&format!("party reply --state @{name}.party{from} --out @{name}.reply"));
                all += &format!(" --from {name}=@{name}.reply");
            }
        }
        self.ok(&format!("party collect @s.session{all} --dir @keys"));
    }
}

fn values(outcome: &Outcome) -> Vec<f64> {
    outcome.stdout.lines().map(|line| line.parse().unwrap()).collect()
}

fn assert_near(got: &[f64], wanted: &[f64], error: f64) {
    assert_eq!(got.len(), wanted.len());
    let is_near = got.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < error);
    assert!(is_near, "{got:?} {wanted:?}");
}

fn mode(path: &str) -> u32 {
    std::fs::metadata(Path::new(path)).unwrap().permissions().mode() & 0o777
}

#[test]
fn three_parties_make_keys_and_decrypt_a_product() {
    let room = Room::new();
    room.keys(&["a", "b", "c"], "--multiply --rotations 1,-2");
    assert_eq!(mode(&room.path("a.party")), 0o600);
    room.write("x.csv", b"0.5\n-1.25\n3\n0.125\n");
    room.ok("encrypt --public @keys/public.key --in @x.csv --bound 4 --out @x.ct");
    room.ok("eval --keys @keys/evaluation.keys x*x+rot(x,1) x=@x.ct --out @y.ct");
    let statement = "--security 4 --queries 2";
    let known = "--expression x*x+rot(x,1) --input x=@x.ct --keys @keys/evaluation.keys";
    // The error of a file is a claim.
    let line = format!("party decrypt @y.ct --state @a.party {statement} --out @a.d");
    assert!(room.refused(&line).contains("give --error-at-least, or --expression"));
    let mut shares = String::new();
    for name in ["a", "b", "c"] {
        let line = format!("party decrypt @y.ct --state @{name}.party {statement} {known}");
        let made = room.json(&format!("{line} --out @{name}.d"));
        assert_eq!((made["answers"].as_u64(), made["queries"].as_u64()), (Some(1), Some(2)));
        // Again: the same bytes, and not counted.
        let again = room.json(&format!("{line} --out @again.d"));
        assert_eq!(again["answers"], 1);
        assert!(room.read("again.d") == room.read(&format!("{name}.d")));
        shares += &format!(" --from {name}=@{name}.d");
    }
    assert_eq!(mode(&room.path("a.party")), 0o600);
    let finished = room.ok(&format!("party finish @s.session @y.ct{shares}"));
    assert!(finished.stderr.contains("fractional bits are correct"), "{}", finished.stderr);
    assert_near(&values(&finished), &[-1.0, 4.5625, 9.125, 0.515_625], 0.02);
    let object = room.json(&format!("party finish @s.session @y.ct{shares}"));
    assert_eq!(object["values"].as_array().unwrap().len(), 4);
    // The budget is on disk.
    let sum = "party decrypt @x.ct --security 4 --queries 2 --error-at-least 2^-20";
    room.ok(&format!("{sum} --state @a.party --out @a.e"));
    room.ok("encrypt --public @keys/public.key --in @x.csv --bound 4 --out @z.ct");
    let line = "party decrypt @z.ct --security 4 --queries 9 --error-at-least 2^-20";
    let refused = room.refused(&format!("{line} --state @a.party --out @a.f"));
    assert!(refused.contains("2 decryptions"), "{refused}");
    assert!(!Path::new(&room.path("a.f")).exists());
    let state = room.json("inspect @a.party");
    assert_eq!((state["answers"].as_u64(), state["party"].as_str()), (Some(2), Some("a")));
    let missing = room.refused("party finish @s.session @y.ct --from a=@a.d --from c=@c.d");
    assert!(missing.contains("those of b"), "{missing}");
}

#[test]
fn any_two_of_three_decrypt_and_switch() {
    let room = Room::new();
    room.keys(&["a", "b", "c"], "--threshold 2");
    room.write("x.csv", b"0.5\n-0.25\n");
    room.ok("encrypt --public @keys/public.key --in @x.csv --out @x.ct");
    let answer = "--security 4 --queries 4 --error-at-least 2^-20 --quorum a,c";
    let early = room.refused(&format!("party decrypt @x.ct --state @a.party {answer} --out @a.d"));
    assert!(early.contains("the shares of a, b, c are missing"), "{early}");
    for name in ["a", "b", "c"] {
        let made = room.ok(&format!("party share --state @{name}.party --dir @from-{name}"));
        assert!(made.stderr.contains("these files are secret"), "{}", made.stderr);
    }
    assert_eq!(mode(&room.path("from-a")), 0o700);
    assert_eq!(mode(&room.path("from-a/b.share")), 0o600);
    let wrong = room.refused("party receive --state @b.party --from a=@from-a/c.share");
    assert!(wrong.contains("not expected here"), "{wrong}");
    for (name, others) in [("a", ["b", "c"]), ("b", ["a", "c"]), ("c", ["a", "b"])] {
        for (other, left) in others.iter().zip([1, 0]) {
            let from = format!("--from {other}=@from-{other}/{name}.share");
            let got = room.json(&format!("party receive --state @{name}.party {from}"));
            assert_eq!(got["missing"].as_array().unwrap().len(), left);
            let again = room.refused(&format!("party receive --state @{name}.party {from}"));
            assert!(again.contains("a second time") || again.contains("has ended"), "{again}");
        }
    }
    let none = "party decrypt @x.ct --state @a.party --security 4 --queries 4 --out @a.d";
    assert!(room.refused(none).contains("--quorum"));
    for name in ["a", "c"] {
        room.ok(&format!("party decrypt @x.ct --state @{name}.party {answer} --out @{name}.d"));
    }
    let finished = room.ok("party finish @s.session @x.ct --from a=@a.d --from c=@c.d");
    assert_near(&values(&finished), &[0.5, -0.25], 0.02);
    room.ok("keygen --params n10-insecure --dir @receiver");
    room.ok("encrypt --public @keys/public.key --in @x.csv --out @y.ct");
    let answer = "--security 4 --queries 4 --error-at-least 2^-20 --quorum b,c";
    for name in ["b", "c"] {
        let receiver = "--receiver @receiver/public.key";
        room.ok(&format!(
            "party switch @y.ct --state @{name}.party {receiver} {answer} --out @{name}.w"
        ));
    }
    room.ok("party finish-switch @s.session @y.ct --receiver @receiver/public.key --from b=@b.w \
         --from c=@c.w --out @r.ct");
    let decrypted = room.ok("decrypt --key @receiver/secret.key @r.ct");
    assert_near(&values(&decrypted), &[0.5, -0.25], 0.02);
}

/// Two of three refresh a result of the lowest level that has room, and hand the key over to two
/// new parties and one that stays, who decrypt it.
#[test]
fn a_result_is_refreshed_and_the_key_moves() {
    let room = Room::new();
    room.keys(&["a", "b", "c"], "--threshold 2 --multiply");
    for name in ["a", "b", "c"] {
        room.ok(&format!("party share --state @{name}.party --dir @from-{name}"));
    }
    for (name, others) in [("a", ["b", "c"]), ("b", ["a", "c"]), ("c", ["a", "b"])] {
        let from = others.map(|other| format!(" --from {other}=@from-{other}/{name}.share"));
        room.ok(&format!("party receive --state @{name}.party{}", from.concat()));
    }
    room.write("x.csv", b"0.5\n-0.25\n");
    room.ok("encrypt --public @keys/public.key --in @x.csv --out @x.ct");
    room.ok("eval --keys @keys/evaluation.keys ((x*x)*(x*x))*((x*x)*(x*x)) x=@x.ct --out @y.ct");
    let low = room.json("inspect @y.ct")["level"].as_u64().unwrap();
    let line = "party refresh @y.ct --state @a.party --quorum a,c --security 20 --out @a.r";
    assert!(room.refused(line).contains("--values-at-most"));
    let share = |name: &str, security: u32| {
        format!(
            "party refresh @y.ct --state @{name}.party --quorum a,c --security {security} \
             --values-at-most 1 --out @{name}.r"
        )
    };
    assert!(room.refused(&share("a", 0)).contains("between 1 and 128"));
    for name in ["a", "c"] {
        room.ok(&share(name, 20));
        let first = room.read(&format!("{name}.r"));
        room.ok(&share(name, 20));
        assert!(room.read(&format!("{name}.r")) == first);
    }
    let finish = "party finish-refresh @s.session @y.ct --from a=@a.r";
    assert!(room.refused(&format!("{finish} --from c=@a.r --out @z.ct")).contains("forged"));
    let fresh = room.json(&format!("{finish} --from c=@c.r --out @z.ct"));
    let top = room.json("inspect @x.ct")["level"].as_u64().unwrap();
    assert!(low < top && fresh["level"].as_u64() == Some(top), "{low} {top} {fresh}");
    // Two new parties, and one that stays.
    let made = room.json(
        "party reshare @s.session --quorum a,c --party b --party d --party e --threshold 2 --out \
         @n.session",
    );
    assert_eq!((made["epoch"].as_u64(), made["threshold"].as_u64()), (Some(1), Some(2)));
    for name in ["b", "d", "e"] {
        room.ok(&format!("party join @n.session --name {name} --state @{name}2.party"));
    }
    assert!(room
        .refused("party hand-over --state @b.party --next @n.session --dir @n-b")
        .contains("not in the quorum"));
    for name in ["a", "c"] {
        let line = format!("party hand-over --state @{name}.party --next @n.session");
        let made = room.ok(&format!("{line} --dir @n-{name}"));
        assert!(made.stderr.contains("these files are secret"), "{}", made.stderr);
        assert_eq!(mode(&room.path(&format!("n-{name}/d.share"))), 0o600);
    }
    for name in ["b", "d", "e"] {
        let from = format!("--from a=@n-a/{name}.share --from c=@n-c/{name}.share");
        let got = room.json(&format!("party receive --state @{name}2.party {from}"));
        assert_eq!(got["missing"].as_array().unwrap().len(), 0);
    }
    let answer = "--security 4 --queries 4 --error-at-least 2^-18";
    let old = "party decrypt @z.ct --state @a.party --quorum a,b --out @a.d";
    assert!(room.refused(&format!("{old} {answer}")).contains("handed its share over"));
    for name in ["a", "b", "c"] {
        room.ok(&format!("party retire --state @{name}.party --next @n.session"));
    }
    let state = room.ok("inspect @b.party").stdout;
    assert!(state.contains("handed over to the session"), "{state}");
    for name in ["b", "e"] {
        let line = format!("party decrypt @z.ct --state @{name}2.party --quorum b,e {answer}");
        room.ok(&format!("{line} --out @{name}.d"));
    }
    let finished = room.ok("party finish @n.session @z.ct --from b=@b.d --from e=@e.d");
    assert_near(&values(&finished), &[0.5f64.powi(8), 0.25f64.powi(8)], 0.05);
    let inspected = room.json("inspect @n.session");
    assert_eq!(inspected["epoch"].as_u64(), Some(1));
}

/// Late, repeated, forged, truncated and foreign messages are refused by name, with their file.
#[test]
fn wrong_messages_and_files_are_refused() {
    let room = Room::new();
    room.keys(&["a", "b"], "--rotations 1");
    let keys = "--from a=@a.keys --from b=@b.keys";
    let both = |line: &str| room.refused(&format!("party collect @s.session {line} --dir @other"));
    assert!(both("--from a=@b.keys --from b=@a.keys").contains("it is forged"));
    assert!(both("--from a=@a.keys --from a=@a.keys").contains("a second time"));
    assert!(both(&format!("{keys} --from a=@a.keys")).contains("for a round that has ended"));
    let missing = both("--from a=@a.keys");
    assert!(missing.contains("those of b"), "{missing}");
    assert!(both("--from a=@a.keys --from e=@b.keys").contains("is not a party"));
    let bytes = room.read("a.keys");
    for end in [0, 5, 11, 15, 500, bytes.len() / 2, bytes.len() - 1] {
        room.write("cut.keys", &bytes[..end]);
        let said = both("--from a=@cut.keys --from b=@b.keys");
        let is_named = said.contains("cut.keys")
            && (said.contains("ends within message") || said.contains("does not begin"));
        assert!(is_named, "{end}: {said}");
    }
    room.write("long.keys", &[&bytes[..], b"x"].concat());
    assert!(both("--from a=@long.keys --from b=@b.keys").contains("bytes after its end"));
    for (at, wanted) in [(30, "belongs to the session"), (bytes.len() - 1, "checksum")] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        room.write("changed.keys", &changed);
        let said = both("--from a=@changed.keys --from b=@b.keys");
        assert!(said.contains(wanted) && said.contains("changed.keys"), "{said}");
    }
    // A file of another kind is named.
    assert!(both("--from a=@s.session --from b=@b.keys").contains("this is a session"));
    let said = room.refused("party collect @a.keys --from a=@a.keys --dir @other");
    assert!(said.contains("this is messages of a key holder"), "{said}");
    assert!(!Path::new(&room.path("other")).exists());
    // A state is secret, never overwritten, and used by one command at a time.
    let said = room.run("party join @s.session --name a --state @a.party");
    assert_ne!(said.code, Some(0));
    assert!(room
        .refused("party join @s.session --name x --state @x.party")
        .contains("not a party"));
    let path = room.path("b.party");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    assert!(room.refused("party keys --state @b.party --out @n.keys").contains("mode 0644"));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    let held = std::fs::File::open(&path).unwrap();
    held.lock().unwrap();
    assert!(room.refused("party keys --state @b.party --out @n.keys").contains("another command"));
    drop(held);
    room.ok("party keys --state @b.party --out @n.keys");
    assert!(room.read("n.keys") == room.read("b.keys"));
    assert!(room
        .refused("party keys --state @b.party --out @n.keys --products @p")
        .contains("no products"));
    assert!(room.refused("party share --state @b.party --dir @from").contains("no shares"));
    assert!(room
        .refused("party reply --state @b.party --from a=@a.keys --out @r")
        .contains("no products"));
    let line = "party session --params n10-insecure --party a --party a --out @t.session";
    assert!(room.refused(line).contains("names are different"));
}

/// Private statistics over five hospitals, each in its own process.
#[test]
fn five_processes_compute_statistics() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let built = Path::new(env!("CARGO_BIN_EXE_halimede")).parent().unwrap().to_path_buf();
    let others = std::env::var_os("PATH").unwrap();
    let path = std::iter::once(built).chain(std::env::split_paths(&others));
    let mut program = std::process::Command::new("python3");
    program.arg(root.join("examples/python/hospitals.py")).args(["--wards", "6"]);
    program.env("PATH", std::env::join_paths(path).unwrap());
    match program.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(said.lines().count(), 7, "{said}");
        }
        Err(error) => {
            let is_required = std::env::var_os("HALIMEDE_REQUIRE_PEERS").is_some();
            assert!(!is_required, "python3: {error}");
        }
    }
}
