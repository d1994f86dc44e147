use std::net::SocketAddr;
use std::path::Path;

use super::tests::{file, loaded, refused};
use super::*;

#[test]
fn surprising_settings_have_warnings() {
    for (text, expect) in [
        ("server.listen = '0.0.0.0:80'", "warning: server.base_url: is not set"),
        ("server.trusted_proxies = ['::/0']", "warning: t.toml:1: server.trusted_proxies: trusts the X-Forwarded-For"),
        (
            "server = {base_url = 'http://a.example', tls_certificate = 'c', tls_key = 'k'}",
            "warning: t.toml:1: server.base_url: says http",
        ),
    ] {
        let warnings: Vec<String> = loaded(&file(text)).warnings.iter().map(Problem::to_string).collect();
        assert!(warnings.len() == 1 && warnings.iter().all(|w| w.starts_with(expect)), "{text}: {warnings:?}");
    }
}

#[test]
fn a_certificate_and_its_key_belong_together() {
    for (text, expect) in [
        ("server.tls_certificate = 'c'", "server.tls_key: must be set, because server.tls_certificate"),
        ("server.tls_key = 'k'", "server.tls_certificate: must be set, because server.tls_key"),
        ("server.tls_key = ''", "server.tls_key: is empty"),
    ] {
        let problems = refused(&file(text));
        assert!(problems.lines().count() == 1 && problems.contains(expect), "{text}\ngives\n{problems}");
    }
}

#[test]
fn addresses_follow_from_tls() {
    let bound: SocketAddr = "0.0.0.0:8402".parse().unwrap();
    let Loaded { config, .. } = loaded(&file("server.listen = '127.0.0.1:1'"));
    assert_eq!(config.server.tls, None);
    assert_eq!(config.server.listener_url(bound), "http://0.0.0.0:8402");
    assert_eq!(config.server.public_url(bound).as_str(), "http://127.0.0.1:8402");
    let secure = loaded(&file("server = {listen = '127.0.0.1:1', tls_certificate = 'c', tls_key = 'k'}"));
    assert_eq!(secure.warnings, []);
    let tls = secure.config.server.tls.clone().unwrap();
    assert_eq!((tls.certificate.as_path(), tls.key.as_path()), (Path::new("c"), Path::new("k")));
    assert_eq!(secure.config.server.listener_url(bound), "https://0.0.0.0:8402");
    assert_eq!(secure.config.server.public_url(bound).as_str(), "https://127.0.0.1:8402");
    assert!(secure.show().contains("base_url = \"https://127.0.0.1:1\"  # from server.listen"), "{}", secure.show());
}
