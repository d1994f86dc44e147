//! Laws of the whole bridge.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use tollbridge_sdk::{Stored, guest, serde_json};

use super::*;

fn run(input: &serde_json::Value) -> Result<serde_json::Value, Error> {
    let bytes = guest::handle(handle, &Call::default(), &serde_json::to_vec(input).expect("JSON writes"))?;
    Ok(serde_json::from_slice(&bytes).expect("JSON"))
}

fn sample(name: &str) -> Vec<u8> {
    let path = format!("{}/cases/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let case: serde_json::Value = serde_json::from_slice(&std::fs::read(path).expect("a case")).expect("JSON");
    STANDARD.decode(case["input"]["media"].as_str().expect("media")).expect("base64")
}

const SAMPLES: [&str; 6] =
    ["h264_aac", "av1_opus_fragmented", "hevc_ac3", "quicktime_mjpeg_pcm", "mp3_variable", "wav_pcm"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_files_are_answered(which in 0..SAMPLES.len(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), cut in any::<prop::sample::Index>()) {
        let whole = sample(SAMPLES[which]);
        let mut bytes = whole.clone();
        for (place, value) in &changes {
            let place = place.index(bytes.len().min(2500));
            bytes[place] = *value;
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())], &whole[..cut.index(whole.len())]] {
            let input = serde_json::json!({"media": STANDARD.encode(bytes), "captions": "1\n00:00:00,500 --> 00:00:02,000\nx\n"});
            let answer = run(&input);
            if let Err(error) = &answer {
                prop_assert_eq!(error.kind(), "invalid-input", "{}", error);
            }
            prop_assert_eq!(answer, run(&input));
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..300), first in 0..6_usize) {
        let _ = guest::handle(handle, &Call::default(), &bytes);
        let mut file = [&b""[..], b"\0\0\0\x08ftyp", b"RIFF\0\0\0\0WAVE", b"ID3\x03\0\0\0\0\0\0\xff\xfb\x90\0", b"\0\0\0\0moov", b"WEBVTT\n\n"][first].to_vec();
        file.extend(bytes);
        let resource = Stored { id: "res_1".into(), content_type: String::new(), bytes: file };
        let call = Call { resource: Some(resource), ..Call::default() };
        let _ = guest::handle(handle, &call, br#"{"resource_id": "res_1"}"#);
    }

    #[test]
    fn any_captions_are_answered(text in "(WEBVTT\n\n)?([0-9]{1,2}\n|\n|0[0-2]:[0-6][0-9][.,][0-9]{3} ?--> ?00:0[0-9]:[0-9]{2}[.,][0-9]{2,3}( line:[0-9]%)?\n|</?[bivc]>|&(amp)?;?|[a-zä<>&{}\\\\]{0,9}\n|NOTE |STYLE\n|\\PC{0,5}){0,30}", other in "\\PC{0,100}") {
        for format in [None, Some("srt"), Some("webvtt")] {
            for text in [&text, &other].into_iter().filter(|text| !text.is_empty()) {
                let answer = run(&serde_json::json!({"captions": text, "caption_format": format, "media_seconds": 3.0})).expect("an answer");
                let listed = answer["result"]["issues"].as_array().expect("issues").len() as u64;
                let counted: u64 = answer["result"]["issue_counts"].as_object().expect("counts").values().filter_map(|count| count.as_u64()).sum();
                prop_assert!(listed <= counted);
            }
        }
    }

    #[test]
    fn well_made_srt_has_no_issues(starts in prop::collection::vec((1000_u64..5000, 900_u64..6000), 1..40)) {
        let stamp = |ms: u64| format!("{:02}:{:02}:{:02},{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
        let (mut at, mut text) = (0, String::new());
        for (place, (gap, length)) in starts.iter().enumerate() {
            let start = at + gap;
            at = start + length;
            text += &format!("{}\n{} --> {}\nA few words\n\n", place + 1, stamp(start), stamp(at));
        }
        let answer = run(&serde_json::json!({"captions": text})).expect("an answer");
        prop_assert_eq!(&answer["result"]["issues"], &serde_json::json!([]));
        prop_assert_eq!(answer["result"]["captions"]["cues"].as_u64(), Some(starts.len() as u64));
        let shown: u64 = starts.iter().map(|(_, length)| length).sum();
        prop_assert_eq!(answer["result"]["captions"]["shown_seconds"].as_f64(), Some(shown as f64 / 1000.0));
    }
}

#[test]
fn many_flaws_are_bounded() {
    let text = "WEBVTT\n\n".to_owned() + &"00:02.000 --> 00:01.000 x:y\n<q>&\n\n".repeat(20_000);
    let answer = run(&serde_json::json!({"captions": text})).expect("an answer");
    assert!(answer.to_string().len() < 200_000);
    assert!(run(&serde_json::json!({"captions": text + "00:02.000 --> 00:03.000\nx\n"})).is_err());
    let deep = "WEBVTT\n\n00:01.000 --> 00:02.000\n".to_owned() + &"<b>".repeat(200_000);
    assert!(run(&serde_json::json!({"captions": deep})).is_ok());
}
