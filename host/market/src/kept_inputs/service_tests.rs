use tollbridge_core::config::Sources;
use tollbridge_core::limits::KEPT_INPUTS_MS_MAX;
use tollbridge_ledger::Chain;
use tollbridge_store::{Collection, RedbStore, Rows, Store, Writer};

use super::*;

const NOW: u64 = 1_780_000_000_000;
const HOUR: u64 = 3_600_000;

fn db() -> Db {
    let store: Arc<dyn Store> = Arc::new(RedbStore::in_memory().unwrap());
    let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, |why| panic!("{why}")).unwrap();
    Db::new(store, Arc::new(writer))
}

fn kept_in(db: &Db, key: u8, settings: &str) -> KeptInputs {
    let file = Some(("t.toml".to_owned(), settings.to_owned()));
    let config = Sources { file, ..Sources::default() }.load().unwrap_or_else(|error| panic!("{error}")).config;
    KeptInputs::new(&SecretBytes::new([key; 32]), db.clone(), &config.plugins).unwrap()
}

fn kept(settings: &str) -> KeptInputs {
    kept_in(&db(), 1, settings)
}

fn keep(kept: &KeptInputs, name: &str, text: &str) {
    let rule = *kept.rules.get(name).unwrap();
    kept.keep(PendingInput { plugin: format!("bridge/{name}"), rule, body: Bytes::copy_from_slice(text.as_bytes()) });
}

async fn loaded(kept: &KeptInputs, last: usize, now_ms: u64) -> Vec<String> {
    kept.load(("bridge/echo", "echo"), last, now_ms).await.unwrap().inputs
}

fn rows(kept: &KeptInputs) -> Vec<(String, Vec<u8>)> {
    Rows::of(kept.rows.db.store(), Collection::KeptInputs).map(Result::unwrap).collect()
}

#[tokio::test]
async fn inputs_of_a_plugin_are_kept_only_if_enabled() {
    let kept = kept("[plugins.echo]\nenabled = true\n[plugins.other]\nkeep_inputs = 1");
    assert!(!kept.keeps("echo") && kept.keeps("other") && !kept.keeps("third"));
    assert_eq!(loaded(&kept, 10, NOW).await, Vec::<String>::new());
}

#[tokio::test]
async fn the_newest_inputs_are_kept_and_no_row_shows_what_they_say() {
    let kept = kept("[plugins.echo]\nkeep_inputs = 3");
    for number in 0..5 {
        keep(&kept, "echo", &format!("{{\"marker\":{number}}}"));
    }
    kept.write(NOW, false).await.unwrap();
    assert_eq!(loaded(&kept, 10, NOW).await, ["{\"marker\":4}", "{\"marker\":3}", "{\"marker\":2}"]);
    keep(&kept, "echo", "{\"marker\":5}");
    // All three slots of the plugin were full at the last write, so this call, with `all`
    // false, leaves the new input in memory.
    kept.write(NOW + 5_000, false).await.unwrap();
    assert_eq!(rows(&kept).len(), 3);
    assert!(!kept.rows.load("bridge/echo", kept.rules["echo"], 1, NOW + 5_000).unwrap().inputs[0].contains('5'));
    assert_eq!(loaded(&kept, 2, NOW + 5_000).await, ["{\"marker\":5}", "{\"marker\":4}"]);
    let rows = rows(&kept);
    assert_eq!(rows.len(), 3, "more rows than configured");
    for (key, value) in rows {
        assert!(key.starts_with("bridge/echo/") && value.starts_with(b"v1:"), "{key}");
        assert!(!String::from_utf8(value).unwrap().contains("marker"));
    }
}

#[tokio::test]
async fn expired_inputs_are_neither_read_nor_kept() {
    let kept = kept("[plugins.echo]\nkeep_inputs = 10\nkeep_inputs_for = '1h'");
    keep(&kept, "echo", "{\"old\":1}");
    kept.write(NOW, false).await.unwrap();
    keep(&kept, "echo", "{\"new\":1}");
    kept.write(NOW + HOUR - 1, false).await.unwrap();
    assert_eq!(loaded(&kept, 10, NOW + HOUR - 1).await.len(), 2);
    assert_eq!(loaded(&kept, 10, NOW + HOUR).await, ["{\"new\":1}"]);
    kept.clean_up(NOW + HOUR - 1).await.unwrap();
    assert_eq!(rows(&kept).len(), 2);
    kept.clean_up(NOW + HOUR).await.unwrap();
    assert_eq!(rows(&kept).len(), 1);
    kept.clean_up(NOW + KEPT_INPUTS_MS_MAX).await.unwrap();
    assert_eq!(rows(&kept).len(), 0);
}

#[tokio::test]
async fn unwanted_and_excess_inputs_are_deleted() {
    let db = db();
    let before = kept_in(&db, 1, "[plugins.echo]\nkeep_inputs = 10\n[plugins.other]\nkeep_inputs = 10");
    for number in 0..10 {
        keep(&before, "echo", &number.to_string());
        keep(&before, "other", &number.to_string());
    }
    before.write(NOW, true).await.unwrap();
    assert_eq!(rows(&before).len(), 20);
    let after = kept_in(&db, 1, "[plugins.other]\nkeep_inputs = 4");
    after.clean_up(NOW).await.unwrap();
    let left = rows(&after);
    assert!(left.len() == 4 && left.iter().all(|(key, _)| key.starts_with("bridge/other/")), "{left:?}");
    let newest = after.load(("bridge/other", "other"), 10, NOW).await.unwrap().inputs;
    assert_eq!(newest, ["9", "8", "7", "6"]);
}

#[tokio::test]
async fn bytes_of_a_plugin_are_bounded_in_memory_and_on_disk() {
    let kept = kept("[plugins.echo]\nkeep_inputs = 1000");
    let large = "x".repeat(KEPT_INPUT_BYTES_MAX);
    for batch in 0..3 {
        for _ in 0..100 {
            keep(&kept, "echo", &large);
        }
        assert!(kept.rings.lock()["bridge/echo"].bytes <= KEPT_INPUTS_BYTES_MAX);
        kept.write(NOW + batch, true).await.unwrap();
        let bytes: usize = rows(&kept).iter().map(|(_, value)| value.len()).sum();
        assert!((KEPT_INPUTS_BYTES_MAX / 2..=KEPT_INPUTS_BYTES_MAX).contains(&bytes), "{bytes}");
    }
}

#[tokio::test]
async fn forgetting_deletes_one_plugin_at_once() {
    let kept = kept("[plugins.echo]\nkeep_inputs = 5\n[plugins.echo2]\nkeep_inputs = 5");
    for name in ["echo", "echo2"] {
        keep(&kept, name, "{}");
    }
    kept.write(NOW, false).await.unwrap();
    keep(&kept, "echo", "{\"waits\":1}");
    assert_eq!(kept.forget("bridge/echo").await.unwrap(), 1);
    kept.write(NOW + 1, true).await.unwrap();
    let left = rows(&kept);
    assert!(left.len() == 1 && left[0].0.starts_with("bridge/echo2/"), "{left:?}");
}

#[tokio::test]
async fn inputs_encrypted_with_another_key_are_skipped() {
    let db = db();
    let settings = "[plugins.echo]\nkeep_inputs = 5";
    let other = kept_in(&db, 2, settings);
    keep(&other, "echo", "{\"of\":\"another host\"}");
    other.write(NOW, false).await.unwrap();
    let own = kept_in(&db, 1, settings);
    keep(&own, "echo", "{}");
    own.write(NOW + 1, false).await.unwrap();
    let loaded = own.load(("bridge/echo", "echo"), 5, NOW + 2).await.unwrap();
    assert_eq!((loaded.inputs.as_slice(), loaded.unreadable), (["{}".to_owned()].as_slice(), 1));
}
