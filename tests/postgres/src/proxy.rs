//! A proxy in front of a database that can cut connections, delay answers, and drop an
//! answer after its commit.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// The faults that the proxy applies to traffic; shared by its threads.
#[derive(Default)]
struct ProxyFaults {
    /// Drops all connections and accepts none.
    is_cut: AtomicBool,
    /// Holds back all traffic, which neither side notices.
    is_silent: AtomicBool,
    /// Number of the database's next answers to drop. Their requests have taken effect,
    /// but the connection is closed before the client gets the answer.
    answers_lost: AtomicU16,
    /// Delay of each answer in milliseconds.
    delay_ms: AtomicU16,
    open: Mutex<Vec<TcpStream>>,
}

/// Forwards bytes between the hosts and a database.
pub struct Proxy {
    port: u16,
    weather: Arc<ProxyFaults>,
}

impl Proxy {
    /// Starts a proxy to a port of this machine.
    pub fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let weather = Arc::new(ProxyFaults::default());
        let shared = weather.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if shared.is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                let _ = (client.set_nodelay(true), server.set_nodelay(true));
                shared.open.lock().extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                pass(client.try_clone().unwrap(), server.try_clone().unwrap(), shared.clone(), false);
                pass(server, client, shared.clone(), true);
            }
        });
        Self { port, weather }
    }

    /// Returns the port that hosts connect to.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Cuts every connection and accepts none until `restore`.
    pub fn cut(&self) {
        self.weather.is_cut.store(true, Ordering::SeqCst);
        self.cut_open();
    }

    /// Closes the open connections; new ones are still accepted.
    pub fn cut_open(&self) {
        self.weather.open.lock().drain(..).for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    }

    /// Accepts connections again.
    pub fn restore(&self) {
        self.weather.is_cut.store(false, Ordering::SeqCst);
    }

    /// Holds back all traffic, like a network partition, or resumes it.
    pub fn silence(&self, is_silent: bool) {
        self.weather.is_silent.store(is_silent, Ordering::SeqCst);
    }

    /// Drops the next `count` answers of the database, each with its connection.
    pub fn lose_answers(&self, count: u16) {
        self.weather.answers_lost.store(count, Ordering::SeqCst);
    }

    /// Delays every answer.
    pub fn delay(&self, by: Duration) {
        self.weather.delay_ms.store(u16::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, weather: Arc<ProxyFaults>, answers: bool) {
    std::thread::spawn(move || {
        let mut bytes = vec![0; 64 << 10];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            while weather.is_silent.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
            if answers {
                let lost =
                    weather.answers_lost.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
                if lost.is_ok() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(weather.delay_ms.load(Ordering::SeqCst).into()));
            }
            if to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    });
}
