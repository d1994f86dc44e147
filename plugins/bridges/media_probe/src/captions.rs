//! Cues out of SubRip text (as players read it; there is no standard) and WebVTT (W3C, sections 4 and 6).

use std::collections::HashSet;

use tollbridge_sdk::Error;

use crate::input::CaptionFormat;
use crate::issue::Issues;
use crate::markup;
use crate::timing;

/// Most cues of a file.
const MOST_CUES: usize = 20_000;

/// A cue.
#[derive(Debug)]
pub struct Cue {
    /// Line of its timing, from 1.
    pub line: usize,
    /// Milliseconds.
    pub start: u64,
    pub end: u64,
    /// Without mark-up; at least one line.
    pub text: String,
}

/// A caption file.
#[derive(Debug)]
pub struct Read {
    pub format: CaptionFormat,
    pub cues: Vec<Cue>,
    pub comments: usize,
    pub styles: usize,
    pub regions: usize,
    identifiers: HashSet<String>,
    known_regions: HashSet<String>,
    number: Option<u64>,
}

/// Reads captions.
pub fn read(text: &str, format: Option<CaptionFormat>, issues: &mut Issues) -> Result<Read, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let guess = if text.starts_with("WEBVTT") { CaptionFormat::Webvtt } else { CaptionFormat::Srt };
    let format = format.unwrap_or(guess);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    if let Some(line) = lines.iter().position(|line| line.contains(['\0', '\u{fffd}'])) {
        let message = "a replacement or null character: the text was read in the wrong encoding once";
        issues.line("medium", "replacement_character", (line + 1, None), message);
    }
    let mut read = Read {
        format,
        cues: Vec::new(),
        comments: 0,
        styles: 0,
        regions: 0,
        identifiers: HashSet::new(),
        known_regions: HashSet::new(),
        number: None,
    };
    let mut at = if format == CaptionFormat::Webvtt { header(&lines, issues) } else { 0 };
    while let Some(begin) = lines.iter().skip(at).position(|line| !blank(line, format)).map(|more| at + more) {
        let length = lines.iter().skip(begin).position(|line| blank(line, format)).unwrap_or(lines.len() - begin);
        at = begin + length;
        let block = lines.get(begin..at).unwrap_or_default();
        read.block(begin + 1, block, issues);
        if read.cues.len() > MOST_CUES {
            return Err(Error::invalid("/captions", format!("has more than {MOST_CUES} cues; split it")));
        }
    }
    if read.cues.is_empty() {
        issues.line("high", "no_cues", (1, None), "there is no cue with a readable timing");
    }
    Ok(read)
}

/// WebVTT blocks end at empty lines only; players of SRT take lines of spaces as well.
fn blank(line: &str, format: CaptionFormat) -> bool {
    line.is_empty() || format == CaptionFormat::Srt && line.trim().is_empty()
}

/// Index of the line at which blocks begin.
fn header(lines: &[&str], issues: &mut Issues) -> usize {
    let first = lines.first().copied().unwrap_or_default();
    let rest = first.strip_prefix("WEBVTT");
    if !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
        let message = "the first line must be WEBVTT, alone or followed by a space: players refuse the whole file";
        issues.line("high", "no_signature", (1, None), message);
        return usize::from(rest.is_some());
    }
    let end = lines
        .iter()
        .skip(1)
        .position(|line| line.is_empty() || line.contains("-->"))
        .map_or(lines.len(), |end| end + 1);
    if end > 1 || lines.get(end).is_some_and(|line| line.contains("-->")) {
        issues.line("medium", "header_not_ended", (2, None), "an empty line must follow the WEBVTT line");
    }
    end
}

impl Read {
    fn block(&mut self, line: usize, block: &[&str], issues: &mut Issues) {
        let first = block.first().copied().unwrap_or_default();
        if self.format == CaptionFormat::Webvtt && self.other_block(line, first, block, issues) {
            return;
        }
        let arrows: Vec<usize> =
            block.iter().enumerate().filter(|(_, line)| line.contains("-->")).map(|(place, _)| place).collect();
        let Some(first) = arrows.first().copied() else {
            let message =
                "lines without a timing: an empty line inside a cue, or a timing is missing; players drop them";
            issues.line("high", "no_timing", (line, None), message);
            return;
        };
        self.name(line, block.get(..first).unwrap_or_default(), issues);
        for (turn, arrow) in arrows.iter().enumerate() {
            let next = arrows.get(turn + 1).copied();
            let mut end = next.unwrap_or(block.len());
            if let Some(next) = next {
                let message = "a timing inside a cue: an empty line is missing before it";
                issues.line("high", "missing_blank_line", (line + next, None), message);
                let number = block.get(next.saturating_sub(1)).and_then(|text| text.trim().parse().ok());
                if number.is_some() && next > arrow + 1 {
                    self.number = number;
                    end = next - 1;
                }
            }
            let payload = block.get(arrow + 1..end).unwrap_or_default();
            self.cue(line + arrow, block.get(*arrow).copied().unwrap_or_default(), payload, issues);
        }
    }

    /// Comments, styles and regions of WebVTT.
    fn other_block(&mut self, line: usize, first: &str, block: &[&str], issues: &mut Issues) -> bool {
        let begun = !self.cues.is_empty();
        let timed = block.get(..2).unwrap_or(block).iter().any(|line| line.contains("-->"));
        match first.trim_end() {
            "STYLE" if !timed => {
                self.styles += 1;
                if begun {
                    issues.line(
                        "medium",
                        "style_after_cue",
                        (line, None),
                        "styles must stand before the first cue: players ignore this one",
                    );
                }
            }
            "REGION" if !timed => {
                self.regions += 1;
                let words = block.iter().skip(1).flat_map(|line| line.split_whitespace());
                self.known_regions.extend(words.filter_map(|word| word.strip_prefix("id:")).map(str::to_owned));
                if begun {
                    issues.line(
                        "medium",
                        "region_after_cue",
                        (line, None),
                        "regions must stand before the first cue: players ignore this one",
                    );
                }
            }
            text if text == "NOTE" || first.starts_with("NOTE ") || first.starts_with("NOTE\t") => {
                self.comments += 1;
                if let Some(place) = block.iter().position(|line| line.contains("-->")) {
                    issues.line(
                        "medium",
                        "arrow_in_comment",
                        (line + place, None),
                        "a comment must not hold -->: players may take it for a cue",
                    );
                }
            }
            _ => return false,
        }
        true
    }

    /// What stands before the timing: a number in SRT, an identifier in WebVTT.
    fn name(&mut self, line: usize, before: &[&str], issues: &mut Issues) {
        let at = (line, None);
        if before.len() > 1 {
            issues.line("medium", "text_before_timing", at, "more than one line before the timing: players drop them");
        }
        let Some(name) = before.last().map(|name| name.trim()) else {
            if self.format == CaptionFormat::Srt {
                issues.line("low", "no_number", at, "the cue has no number");
            }
            return;
        };
        if self.format == CaptionFormat::Webvtt {
            if !self.identifiers.insert(name.to_owned()) {
                issues.line("low", "repeated_identifier", at, format!("{name:.60}: another cue has this identifier"));
            }
            return;
        }
        match name.parse::<u64>() {
            Ok(number) => {
                if self.number.is_some_and(|last| last.checked_add(1) != Some(number)) {
                    issues.line(
                        "low",
                        "number_out_of_order",
                        at,
                        format!("number {number} does not follow the one before"),
                    );
                }
                self.number = Some(number);
            }
            Err(_) => {
                issues.line("medium", "no_number", at, format!("{name:.60}: a number should stand before the timing"))
            }
        }
    }

    fn cue(&mut self, line: usize, timing_line: &str, payload: &[&str], issues: &mut Issues) {
        let vtt = self.format == CaptionFormat::Webvtt;
        let Some(timing) = timing::line(timing_line, self.format) else {
            issues.line(
                "high",
                "bad_timing",
                (line, None),
                format!("{timing_line:.80}: no two times; players drop the cue"),
            );
            return;
        };
        let at = (line, Some(self.cues.len().saturating_add(1)));
        for (kind, message) in timing.flaws {
            let severity = match kind {
                "loose_arrow" => "low",
                _ if vtt => "high",
                "wrong_decimal_mark" => "medium",
                _ => "low",
            };
            issues.line(severity, kind, at, message);
        }
        if vtt {
            self.settings(at, timing.settings, issues);
        }
        let (text, flaws) = markup::plain(&payload.join("\n"), self.format, (timing.start, timing.end));
        for (severity, kind, message) in flaws {
            issues.line(severity, kind, at, message);
        }
        self.cues.push(Cue { line, start: timing.start, end: timing.end, text });
    }

    fn settings(&self, at: (usize, Option<usize>), settings: &str, issues: &mut Issues) {
        for setting in settings.split_whitespace() {
            let (name, value) = setting.split_once(':').unwrap_or((setting, ""));
            let fine = match name {
                "vertical" => ["rl", "lr"].contains(&value),
                "align" => ["start", "center", "end", "left", "right"].contains(&value),
                "size" => percentage(value),
                "position" => {
                    let (place, align) = value.split_once(',').unwrap_or((value, "center"));
                    percentage(place) && ["line-left", "center", "line-right"].contains(&align)
                }
                "line" => {
                    let (place, align) = value.split_once(',').unwrap_or((value, "start"));
                    (percentage(place) || place.parse::<i32>().is_ok()) && ["start", "center", "end"].contains(&align)
                }
                "region" => {
                    if !self.known_regions.contains(value) {
                        issues.line(
                            "medium",
                            "unknown_region",
                            at,
                            format!("{value:.40}: no region before has this id"),
                        );
                    }
                    true
                }
                _ => false,
            };
            if !fine {
                issues.line(
                    "low",
                    "unknown_setting",
                    at,
                    format!("{setting:.60} is no cue setting: players ignore it"),
                );
            }
        }
    }
}

fn percentage(text: &str) -> bool {
    let number = text.strip_suffix('%').filter(|text| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    number.and_then(|text| text.parse::<f64>().ok()).is_some_and(|number| (0.0..=100.0).contains(&number))
}
