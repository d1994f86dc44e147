//! Certificate checks for `doctor` and `config check`.

use std::os::unix::fs::PermissionsExt as _;

use tollbridge_connections::ServerCertificate;
use tollbridge_core::config::{ServerConfig, TlsFiles};

/// Days before expiry at which warnings begin: enough to find out why renewal failed, and
/// to renew by hand.
const DAYS_LEFT_MIN: u64 = 14;
const DAY_S: u64 = 86_400;
/// Permission bits that the file of a private key should not have: group write, and any
/// for others.
const OPEN_MODE: u32 = 0o027;

/// The result of a check.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CertificateCheck {
    /// A short summary of the certificate.
    pub(super) summary: String,
    /// Present and imminent problems.
    pub(super) warnings: Vec<String>,
}

/// Checks the certificate; `None` if the listener uses plain HTTP.
///
/// # Errors
///
/// A server would not start with this certificate; the error is the reason.
pub(super) fn check(server: &ServerConfig, now_s: u64) -> Option<Result<CertificateCheck, String>> {
    let files = server.tls.as_ref()?;
    Some(match ServerCertificate::read(files) {
        Ok(certificate) => Ok(check_certificate(&certificate, files, server, now_s)),
        Err(error) => Err(error.to_string()),
    })
}

fn check_certificate(
    certificate: &ServerCertificate,
    files: &TlsFiles,
    server: &ServerConfig,
    now_s: u64,
) -> CertificateCheck {
    let shown = files.certificate.display();
    let mut warnings = Vec::new();
    let days = certificate.expires_s.saturating_sub(now_s).div_euclid(DAY_S);
    match certificate.expires_s.checked_sub(now_s) {
        None => warnings.push(format!("the certificate {shown} has expired; renew it")),
        Some(_) if days < DAYS_LEFT_MIN => {
            warnings.push(format!("the certificate {shown} expires in {days} days; find out why it was not renewed"));
        }
        Some(_) => {}
    }
    let url = server.public_url(server.listen);
    let host = host_of(url.as_str());
    // Without base_url the host is this machine's address, which no authority certifies.
    if server.base_url.is_some() && !certificate.is_for(host) {
        warnings.push(format!("the certificate {shown} is not for {host}, the host of server.base_url"));
    }
    match std::fs::metadata(&files.key).map(|found| found.permissions().mode()) {
        Ok(mode) if mode & OPEN_MODE != 0 => {
            let key = files.key.display();
            warnings
                .push(format!("other users can read the key {key} (mode {:04o}); give it mode 0600", mode & 0o7777));
        }
        _ => {}
    }
    CertificateCheck { summary: format!("{shown}, {days} days left"), warnings }
}

/// Returns the host of a validated address, without brackets and port.
fn host_of(url: &str) -> &str {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = authority.split('/').next().unwrap_or_default();
    match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rcgen::{CertificateParams, KeyPair, date_time_ymd};
    use tollbridge_core::config::Sources;

    use super::*;

    /// The beginning of 2031, when the certificate of these tests expires.
    const ENDS_S: u64 = 1_924_992_000;

    fn server(folder: &Path, more: &str) -> ServerConfig {
        let file = |name: &str| folder.join(name).display().to_string();
        let text = format!("[server]\ntls_certificate = {:?}\ntls_key = {:?}\n{more}", file("c.pem"), file("k.pem"));
        let sources = Sources { file: Some(("t.toml".to_owned(), text)), ..Sources::default() };
        sources.load().unwrap().config.server
    }

    fn issue(folder: &Path, mode: u32) {
        let mut params = CertificateParams::new(vec!["bridge.example.com".to_owned()]).unwrap();
        params.not_after = date_time_ymd(2031, 1, 1);
        let key = KeyPair::generate().unwrap();
        std::fs::write(folder.join("c.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
        std::fs::write(folder.join("k.pem"), key.serialize_pem()).unwrap();
        std::fs::set_permissions(folder.join("k.pem"), std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_valid_certificate_has_no_warning() {
        let folder = tempfile::tempdir().unwrap();
        issue(folder.path(), 0o640);
        for more in ["", "base_url = \"https://bridge.example.com:8402/x\""] {
            let seen = check(&server(folder.path(), more), ENDS_S - 20 * DAY_S).unwrap().unwrap();
            assert_eq!(seen.warnings, Vec::<String>::new(), "{more}");
            assert!(seen.summary.ends_with("c.pem, 20 days left"), "{}", seen.summary);
        }
        let plain = Sources::default().load().unwrap().config.server;
        assert_eq!(check(&plain, 0), None);
    }

    #[test]
    fn errors_name_the_problem() {
        let folder = tempfile::tempdir().unwrap();
        issue(folder.path(), 0o644);
        let seen = check(&server(folder.path(), "base_url = \"https://other.example\""), ENDS_S - 3 * DAY_S);
        let [ends, names, mode] = seen.unwrap().unwrap().warnings.try_into().unwrap();
        assert!(ends.ends_with("c.pem expires in 3 days; find out why it was not renewed"), "{ends}");
        assert!(names.ends_with("is not for other.example, the host of server.base_url"), "{names}");
        assert!(mode.contains("k.pem (mode 0644)"), "{mode}");
        let ended = check(&server(folder.path(), ""), ENDS_S + 1).unwrap().unwrap().warnings;
        assert!(ended.iter().any(|one| one.contains("has expired")), "{ended:?}");
        std::fs::write(folder.path().join("k.pem"), KeyPair::generate().unwrap().serialize_pem()).unwrap();
        let refused = check(&server(folder.path(), ""), 0).unwrap().unwrap_err();
        assert!(refused.contains("c.pem") && refused.contains("k.pem"), "{refused}");
    }

    #[test]
    fn hosts_of_addresses() {
        for (url, host) in [
            ("https://a.example", "a.example"),
            ("https://a.example:8402/x", "a.example"),
            ("https://[::1]:8402", "::1"),
            ("https://127.0.0.1:1", "127.0.0.1"),
        ] {
            assert_eq!(host_of(url), host);
        }
    }
}
