use super::*;

async fn sent(staging: &Arc<Staging>, account: &str, bytes: &[u8]) -> Result<(), Refusal> {
    let id = staging.begin(account, false).await?;
    let mut session = staging.take(&id, account)?;
    session.write(bytes).await?;
    session.finish(Digest::of(bytes)).await
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[tokio::test]
async fn an_upload_in_pieces_becomes_a_blob_of_its_account() {
    let dir = tempfile::tempdir().unwrap();
    let staging = Staging::open(dir.path().join("s")).unwrap();
    let id = staging.begin("a", false).await.unwrap();
    for piece in [b"one ", b"two "] {
        let mut session = staging.take(&id, "a").unwrap();
        assert!(staging.take(&id, "a").is_err(), "two requests could write one upload");
        session.write(piece).await.unwrap();
        session.pause().await.unwrap();
    }
    assert_eq!(staging.received(&id, "a").unwrap(), 8);
    assert!(staging.received(&id, "b").is_err() && staging.take(&id, "b").is_err());
    staging.take(&id, "a").unwrap().finish(Digest::of(b"one two ")).await.unwrap();
    let (path, size) = staging.blob("a", Digest::of(b"one two ")).unwrap();
    assert_eq!((std::fs::read(path).unwrap(), size), (b"one two ".to_vec(), 8));
    assert!(staging.blob("b", Digest::of(b"one two ")).is_none());
    staging.release("a", &[Digest::of(b"one two ")]);
    assert_eq!(files(&dir.path().join("s")), 0);
}

#[tokio::test]
async fn what_ends_early_or_differs_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("s");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("left"), "by a process that was killed").unwrap();
    let staging = Staging::open(folder.clone()).unwrap();
    let id = staging.begin("a", false).await.unwrap();
    let mut session = staging.take(&id, "a").unwrap();
    session.write(b"half").await.unwrap();
    drop(session);
    assert!(staging.take(&id, "a").is_err());
    let id = staging.begin("a", false).await.unwrap();
    let mut session = staging.take(&id, "a").unwrap();
    session.write(b"x").await.unwrap();
    assert!(session.finish(Digest::of(b"y")).await.is_err());
    let id = staging.begin("a", false).await.unwrap();
    staging.cancel(&id, "a").unwrap();
    assert_eq!(files(&folder), 0);
}

#[tokio::test]
async fn an_account_takes_its_share_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let staging = Staging::open(dir.path().join("s")).unwrap();
    for _ in 0..UPLOADS_PER_ACCOUNT_MAX {
        staging.begin("a", false).await.unwrap();
    }
    assert!(staging.begin("a", false).await.is_err());
    sent(&staging, "b", b"b").await.unwrap();
    let component = vec![0; COMPONENT_BYTES_MAX];
    sent(&staging, "c", &component).await.unwrap();
    // A second upload of the same blob counts as additional bytes until it is complete.
    sent(&staging, "c", &component).await.unwrap();
    let other = vec![1; COMPONENT_BYTES_MAX];
    sent(&staging, "c", &other).await.unwrap();
    assert!(sent(&staging, "c", b"x").await.is_err());
    sent(&staging, "b", &component).await.unwrap();
    staging.release("c", &[Digest::of(&other)]);
    sent(&staging, "c", b"x").await.unwrap();
}

#[tokio::test]
async fn what_is_idle_goes_away() {
    let dir = tempfile::tempdir().unwrap();
    let staging = Staging::open(dir.path().join("s")).unwrap();
    let id = staging.begin("a", false).await.unwrap();
    sent(&staging, "a", b"x").await.unwrap();
    let after = |wait: Duration| Instant::now() + wait;
    staging.expire(after(UPLOAD_IDLE / 2));
    assert!(staging.received(&id, "a").is_ok());
    staging.expire(after(UPLOAD_IDLE));
    assert!(staging.received(&id, "a").is_err() && staging.blob("a", Digest::of(b"x")).is_some());
    staging.expire(after(BLOB_IDLE * 2));
    assert!(staging.blob("a", Digest::of(b"x")).is_none());
    assert_eq!(files(&dir.path().join("s")), 0);
}
