//! The functions of the host in a native build; `testing::Doubles` implements them.

use crate::{
    error::Error,
    http::message::{Request, Response},
    log::level::Level,
    testing::doubles,
};

pub(crate) fn log(level: Level, message: &str) {
    doubles::with(|doubles| doubles.logs.push((level, message.to_owned())));
}

pub(crate) fn config_get(key: &str) -> Result<Option<String>, Error> {
    Ok(doubles::with(|doubles| doubles.config.get(key).cloned()))
}

pub(crate) fn config_all() -> Result<Vec<(String, String)>, Error> {
    Ok(doubles::with(|doubles| doubles.config.iter().map(|(key, value)| (key.clone(), value.clone())).collect()))
}

pub(crate) fn send(request: Request) -> Result<Response, Error> {
    doubles::answer(request)
}

/// A key-value bucket of the test doubles, by name.
#[derive(Debug)]
pub(crate) struct Bucket(String);

impl Bucket {
    pub(crate) fn open(name: &str) -> Result<Self, Error> {
        match name {
            "shared" | "caller" => Ok(Self(name.to_owned())),
            _ => Err(Error::unavailable(format!("key-value bucket `{name}`: the buckets are `shared` and `caller`"))),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(doubles::with(|doubles| doubles.bucket(&self.0).get(key).cloned()))
    }

    pub(crate) fn set(&self, key: &str, value: &[u8]) -> Result<(), Error> {
        doubles::with(|doubles| doubles.bucket(&self.0).insert(key.to_owned(), value.to_vec()));
        Ok(())
    }

    pub(crate) fn delete(&self, key: &str) -> Result<(), Error> {
        doubles::with(|doubles| doubles.bucket(&self.0).remove(key));
        Ok(())
    }

    pub(crate) fn exists(&self, key: &str) -> Result<bool, Error> {
        Ok(doubles::with(|doubles| doubles.bucket(&self.0).contains_key(key)))
    }

    pub(crate) fn keys(&self) -> Result<Vec<String>, Error> {
        Ok(doubles::with(|doubles| doubles.bucket(&self.0).keys().cloned().collect()))
    }

    /// Adds to a counter; stores the sum as decimal digits, like the host.
    pub(crate) fn increment(&self, key: &str, delta: u64) -> Result<u64, Error> {
        doubles::with(|doubles| {
            let bucket = doubles.bucket(&self.0);
            let before = match bucket.get(key) {
                None => 0,
                Some(bytes) => std::str::from_utf8(bytes)
                    .ok()
                    .and_then(|text| text.parse::<u64>().ok())
                    .ok_or_else(|| Error::internal(format!("the value under `{key}` is not a number")))?,
            };
            let sum = before.checked_add(delta).ok_or_else(|| Error::internal(format!("`{key}` is full")))?;
            bucket.insert(key.to_owned(), sum.to_string().into_bytes());
            Ok(sum)
        })
    }
}
