use super::*;
use crate::keys::PublisherKey;

fn publisher(name: &str, seed: u8, namespaces: &[&str]) -> Publisher {
    Publisher {
        name: name.parse().unwrap(),
        key: PublisherKey::from_seed(name.parse().unwrap(), &[seed; 32]).public(),
        account: format!("acct_{name}"),
        namespaces: Namespaces::parse(namespaces).unwrap(),
        auto_activate: AutoActivate::Everything,
    }
}

#[test]
fn reads_what_it_writes() {
    let alice = publisher("alice", 1, &["*"]);
    let bob = Publisher { auto_activate: AutoActivate::Nothing, ..publisher("bob", 2, &["bob_", "b-"]) };
    let publishers = Publishers::parse(&format!("{}{}", alice.to_toml(), bob.to_toml())).unwrap();
    assert_eq!(publishers.iter().collect::<Vec<_>>(), [&alice, &bob]);
    assert_eq!(Publishers::parse("").unwrap(), Publishers::default());
}

#[test]
fn a_namespace_is_the_beginning_of_a_name() {
    let bob = publisher("bob", 2, &["bob_", "tax"]);
    for (name, expect) in [("bob_x", true), ("tax", true), ("taxes", true), ("bob", false), ("x_bob_", false)] {
        assert_eq!(bob.namespaces.contain(&name.parse().unwrap()), expect, "{name}");
    }
    assert!(publisher("alice", 1, &["*"]).namespaces.contain(&"anything".parse().unwrap()));
}

#[test]
fn mistakes_are_named_with_their_fix() {
    let alice = publisher("alice", 1, &["*"]).to_toml();
    let check = |text: String, expect: &str| {
        let error = Publishers::parse(&text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("publishers.toml: {expect}")), "{error}");
    };
    check(
        alice.replace("[[publisher]]", "[[publishers]]"),
        "`publishers`: there is no such field; did you mean `publisher`?",
    );
    check(format!("{alice}{alice}"), "`publisher[1].name`: alice is listed twice; list it once");
    check(
        format!("{alice}{}", alice.replace("\"alice\"", "\"eve\"")),
        "`publisher[1].public_key`: is alice's key; every",
    );
    check(alice.replace("[\"*\"]", "[]"), "`publisher[0].namespaces`: is empty; write");
    check(
        alice.replace("[\"*\"]", "[\"*\", \"a\"]"),
        "`publisher[0].namespaces`: `*` matches every name; write it alone",
    );
    check(alice.replace("[\"*\"]", "[\"a*\"]"), "`publisher[0].namespaces`: \"a*\" is not the beginning of a name");
    check(alice.replace("[\"*\"]", "[\"\"]"), "`publisher[0].namespaces`: \"\" is not the beginning of a name");
    check(alice.replace("acct_alice", ""), "`publisher[0].account`: \"\" is not an account id; copy it");
    check(
        alice.replace("public_key = \"", "public_key = \"0"),
        "`publisher[0].public_key`: not an Ed25519 public key; write",
    );
    check(alice.replace("true", "\"yes\""), "`publisher[0].auto_activate`: this is text; write true or false");
}

#[test]
fn adding_a_publisher_keeps_the_rest_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("publishers.toml");
    let alice = publisher("alice", 1, &["*"]);
    let bob = publisher("bob", 2, &["bob_"]);
    fs::write(&path, format!("# ours{}# the end", alice.to_toml())).unwrap();
    let publishers = Publishers::add_to_file(&path, &bob).unwrap();
    assert_eq!(publishers.iter().count(), 2);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# ours") && text.contains("# the end\n"), "{text}");
    assert_eq!(Publishers::load(&path).unwrap(), publishers);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file may remain");

    assert!(matches!(Publishers::add_to_file(&path, &bob), Err(RegistryError::PublisherExists(_))));
    assert!(matches!(Publishers::add_to_file(&path, &publisher("eve", 1, &["*"])), Err(RegistryError::Field(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "a refusal changes nothing");
}

#[test]
fn adding_makes_the_file_and_follows_a_link_to_it() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("etc").join("trusted.toml");
    Publishers::add_to_file(&real, &publisher("alice", 1, &["*"])).unwrap();
    let link = dir.path().join("publishers.toml");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    Publishers::add_to_file(&link, &publisher("bob", 2, &["b"])).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Publishers::load(&real).unwrap().iter().count(), 2);
}

#[test]
fn commands_at_the_same_time_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("publishers.toml");
    std::thread::scope(|scope| {
        for seed in 1..=16_u8 {
            let path = &path;
            scope.spawn(move || Publishers::add_to_file(path, &publisher(&format!("p{seed}"), seed, &["*"])).unwrap());
        }
    });
    assert_eq!(Publishers::load(&path).unwrap().iter().count(), 16);
}

#[test]
fn a_revoked_key_never_counts_again_but_a_new_one_does() {
    let alice = publisher("alice", 1, &["*"]);
    let mut row = Revocation::default();
    row.revoke(&alice, 5);
    let row = Revocation::from_row(&row.to_row().unwrap()).unwrap();
    let revoked: Revocations = [row].into_iter().collect();
    assert!(revoked.contains(&alice));
    assert!(revoked.contains(&Publisher { name: "renamed".parse().unwrap(), ..alice.clone() }));
    assert!(!revoked.contains(&publisher("alice", 2, &["*"])));
}
