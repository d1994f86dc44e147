//! Technical data in words: resolution, frame rate, bit rate, size, loudness; and what is said of them.

use agent_common::figures;
use agent_common::patterns::{groups, is_match};

/// Data that a request states.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Technical {
    /// Pixels.
    pub size: Option<(f64, f64)>,
    /// Frames a second.
    pub frame_rate: Option<f64>,
    /// Bits a second.
    pub bit_rate: Option<f64>,
    /// Bytes.
    pub bytes: Option<f64>,
    /// Seconds.
    pub seconds: Option<f64>,
}

/// A statement on technical data: its kind, severity, words and figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub kind: &'static str,
    pub severity: &'static str,
    pub message: String,
}

/// Reads the data of a request.
#[must_use]
pub fn read(request: &str) -> Technical {
    let lower = request.to_lowercase();
    let number = |pattern: &str| -> Option<f64> { groups(pattern, &lower).get(1)?.replace(',', ".").parse().ok() };
    let size = groups(r"\b(\d{3,4})\s*(?:x|×|by|\*)\s*(\d{3,4})\b", &lower);
    let size = match size.as_slice() {
        [_, width, height] => width.parse().ok().zip(height.parse().ok()),
        _ => None,
    };
    let scaled = |text: &[String]| -> Option<f64> {
        let value: f64 = text.get(1)?.replace(',', ".").parse().ok()?;
        let unit = text.get(2)?;
        Some(
            value
                * if unit.starts_with('g') {
                    1e9
                } else if unit.starts_with('m') {
                    1e6
                } else {
                    1e3
                },
        )
    };
    Technical {
        size,
        frame_rate: number(r"(\d+(?:[.,]\d+)?)\s*(?:fps|frames (?:per|a) second|frames/s|hz video)"),
        bit_rate: scaled(&groups(
            r"(\d+(?:[.,]\d+)?)\s*(kb(?:it)?(?:/s|ps)|mb(?:it)?(?:/s|ps)|mbit(?:s)?(?: per second|/s)|megabits? (?:per|a) second|kilobits? (?:per|a) second)",
            &lower,
        )),
        bytes: scaled(&groups(r"(\d+(?:[.,]\d+)?)\s*(kb|mb|gb|megabytes?|gigabytes?)\b(?:[^/p]|$)", &lower)),
        seconds: crate::stated::duration(&lower),
    }
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { divisor(b, a % b) }
}

impl Technical {
    /// Whether anything but a duration is stated.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.size.is_some() || self.frame_rate.is_some() || self.bit_rate.is_some() || self.bytes.is_some()
    }

    /// What follows from the data.
    #[must_use]
    pub fn derived(&self, request: &str) -> Vec<String> {
        let lower = request.to_lowercase();
        let mut told = Vec::new();
        let shown = |value: f64| figures::figure((value * 100.0).round() / 100.0);
        if let Some((width, height)) = self.size {
            let by = divisor(width as u64, height as u64).max(1);
            let way = if width > height {
                "landscape"
            } else if width < height {
                "portrait (vertical)"
            } else {
                "square"
            };
            told.push(format!(
                "{width} x {height} is {way}, aspect ratio {}:{} ({})",
                width as u64 / by,
                height as u64 / by,
                shown(width / height)
            ));
        }
        if let (Some(rate), Some(seconds)) = (self.bit_rate, self.seconds)
            && self.bytes.is_none()
        {
            told.push(format!(
                "{} s at {} Mbit/s make {} MB",
                shown(seconds),
                shown(rate / 1e6),
                shown(rate * seconds / 8.0 / 1e6)
            ));
        }
        if let (Some(bytes), Some(seconds)) = (self.bytes, self.seconds)
            && self.bit_rate.is_none()
            && seconds > 0.0
        {
            let rate = bytes * 8.0 / seconds;
            told.push(format!(
                "{} MB in {} s are {} Mbit/s ({} kbit/s)",
                shown(bytes / 1e6),
                shown(seconds),
                shown(rate / 1e6),
                shown(rate / 1e3)
            ));
        }
        if let (Some(fps), Some(seconds)) = (self.frame_rate, self.seconds)
            && is_match(r"how many frames|number of frames|frames (?:are|in)", &lower)
        {
            told.push(format!(
                "{} s at {} frames a second are {} frames",
                shown(seconds),
                shown(fps),
                shown(fps * seconds)
            ));
        }
        told
    }

    /// What does not fit the target that the request names.
    #[must_use]
    pub fn findings(&self, request: &str) -> Vec<Statement> {
        let lower = request.to_lowercase();
        let mut found = Vec::new();
        found.extend(self.picture(&lower));
        let mut say = |kind, severity, message: String| found.push(Statement { kind, severity, message });
        if let Some(fps) = self.frame_rate.filter(|fps| *fps < 23.0) {
            say(
                "low_frame_rate",
                "high",
                format!("low frame rate: {fps} frames a second stutter, 24 or more are usual"),
            );
        }
        found.extend(self.beyond(&lower));
        found
    }

    /// What is wrong with the size of the picture.
    fn picture(&self, lower: &str) -> Vec<Statement> {
        let mut found = Vec::new();
        let mut say = |kind, severity, message: String| found.push(Statement { kind, severity, message });
        if let Some((width, height)) = self.size {
            let vertical = is_match(r"tiktok|reels?\b|shorts\b|stories|vertical|portrait|9:16", lower);
            let wide = is_match(r"youtube|tv\b|television|vimeo|16:9|landscape|widescreen", lower) && !vertical;
            if vertical && width > height {
                say(
                    "wrong_orientation",
                    "high",
                    format!(
                        "{width} x {height} is landscape (16:9 or alike); the target wants a vertical 9:16 picture, such as 1080 x 1920"
                    ),
                );
            } else if wide && height > width {
                say(
                    "wrong_orientation",
                    "high",
                    format!(
                        "{width} x {height} is portrait (vertical); the target wants a landscape 16:9 picture, with bars at the sides otherwise"
                    ),
                );
            } else if wide && (width / height - 16.0 / 9.0).abs() > 0.02 {
                say(
                    "aspect_ratio",
                    "medium",
                    format!("the aspect ratio {:.2} is not 16:9: bars or cropping", width / height),
                );
            }
            let lines = width.min(height);
            let wanted = if is_match(r"\b4k\b|uhd|2160", lower) {
                2160.0
            } else if is_match(r"full ?hd|1080p?", lower) && lines != 1080.0 {
                1080.0
            } else {
                720.0
            };
            if lines < wanted {
                say(
                    "low_resolution",
                    "high",
                    format!("low resolution: {width} x {height} has {lines} lines, below {wanted}"),
                );
            }
            if let Some(rate) = self.bit_rate {
                let least = width * height * self.frame_rate.unwrap_or(25.0) * 0.04;
                if rate < least {
                    say(
                        "low_bit_rate",
                        "medium",
                        format!(
                            "the bit rate of {:.2} Mbit/s is low for {width} x {height}: blocks and blur are likely, at least {:.1} Mbit/s are usual",
                            rate / 1e6,
                            least / 1e6
                        ),
                    );
                }
            }
            if width % 2.0 > 0.0 || height % 2.0 > 0.0 {
                say("odd_size", "medium", "an odd number of pixels: most encoders refuse it".to_owned());
            }
        }
        found
    }

    /// What goes beyond the limits that the request states.
    fn beyond(&self, lower: &str) -> Vec<Statement> {
        let mut found = Vec::new();
        let mut say = |kind, severity, message: String| found.push(Statement { kind, severity, message });
        if let Some(limit) = crate::technical::limit_seconds(lower)
            && let Some(seconds) = self.seconds.filter(|seconds| *seconds > limit)
        {
            say("too_long", "high", format!("too long: {seconds} s, more than the limit of {limit} s"));
        }
        let limit = groups(
            r"(?:at most|max(?:imum)?(?: of)?|limit(?: is| of)?:?|up to|no more than|under|below)\s*(\d+(?:[.,]\d+)?)\s*(mb|gb)",
            lower,
        );
        let all = agent_common::patterns::all(r"(\d+(?:[.,]\d+)?\s*(?:mb|gb)\b)", lower);
        if let [_, most, unit] = limit.as_slice() {
            let bytes = |number: &str, unit: &str| {
                number.replace(',', ".").trim().parse::<f64>().ok().map(|n| n * if unit == "gb" { 1e9 } else { 1e6 })
            };
            let most = bytes(most, unit);
            let own = all
                .iter()
                .filter_map(|text| {
                    bytes(text.trim_end_matches(char::is_alphabetic), if text.ends_with("gb") { "gb" } else { "mb" })
                })
                .find(|own| Some(*own) != most);
            if let (Some(most), Some(own)) = (most, own)
                && own > most
            {
                say(
                    "too_large",
                    "high",
                    format!("too large: {} MB, more than the limit of {} MB", own / 1e6, most / 1e6),
                );
            }
        }
        found
    }
}

/// The longest time that a request allows.
fn limit_seconds(lower: &str) -> Option<f64> {
    let at =
        ["at most", "maximum", "max.", "max ", "limit", "up to", "no more than", "no longer than", "must not exceed"]
            .iter()
            .filter_map(|mark| lower.find(mark))
            .min()?;
    let rest: String = lower.get(at..)?.chars().take(50).collect();
    crate::stated::duration(&rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_words() {
        let data = read("1280x720, 25 fps, 4 Mbit/s, 2 minutes");
        assert_eq!(
            (data.size, data.frame_rate, data.bit_rate, data.seconds),
            (Some((1280.0, 720.0)), Some(25.0), Some(4e6), Some(120.0))
        );
        assert!(
            data.derived("").iter().any(|text| text.contains("16:9"))
                && data.derived("").iter().any(|text| text.contains("60 MB"))
        );
        let kinds = |text: &str| read(text).findings(text).iter().map(|found| found.kind).collect::<Vec<_>>();
        assert_eq!(kinds("1920x1080 for TikTok"), ["wrong_orientation"]);
        assert_eq!(kinds("640x360 for YouTube, 30 fps"), ["low_resolution"]);
        assert_eq!(kinds("1920x1080, 12 fps"), ["low_frame_rate"]);
        assert_eq!(kinds("1920x1080, 30 fps, 8 Mbit/s for YouTube"), Vec::<&str>::new());
        assert_eq!(kinds("The file is 140 MB, at most 100 MB are allowed"), ["too_large"]);
    }
}
