//! A bar chart as inline SVG, without scripts or images. The style sheet sets its
//! colours, so that they follow the reader's light or dark mode.

use tollbridge_core::money::Millipence;

use crate::text::day_of_month;

/// Width of the drawing, in SVG units and not in pixels.
const WIDTH: i64 = 720;
const HEIGHT: i64 = 220;
const LEFT: i64 = 84;
/// Right margin: space for half of the last label.
const RIGHT: i64 = 40;
const BOTTOM: i64 = 32;
const TOP: i64 = 16;

/// A bar: the amounts of one day, stacked from the bottom up.
pub struct Bar {
    /// The day, as `2026-01-31`.
    pub label: String,
    /// One amount for each name of the legend.
    pub parts: Vec<Millipence>,
}

/// A chart with the positions of all its elements.
pub struct Chart {
    /// The chart's title.
    pub title: &'static str,
    /// Width of the drawing, in SVG units.
    pub width: i64,
    /// Height of the drawing, in SVG units.
    pub height: i64,
    /// The rectangles of all bars.
    pub boxes: Vec<Block>,
    /// Horizontal grid lines with their amounts.
    pub lines: Vec<Line>,
    /// Labels below the bars: x position and text.
    pub labels: Vec<(i64, String)>,
    /// CSS class and name of each part of a bar.
    pub legend: Vec<(String, String)>,
    /// y position of the baseline.
    pub base: i64,
    /// x position of the first bar.
    pub left: i64,
    /// Whether all amounts are zero.
    pub empty: bool,
}

/// The rectangle for one part of a bar.
pub struct Block {
    /// Left edge.
    pub x: i64,
    /// Upper edge.
    pub y: i64,
    /// Width.
    pub width: i64,
    /// Height.
    pub height: i64,
    /// CSS class that sets the colour.
    pub class: String,
    /// Text of the tooltip.
    pub title: String,
}

/// A horizontal grid line with its amount.
pub struct Line {
    /// y position of the line.
    pub y: i64,
    /// The amount as text.
    pub text: String,
}

impl Chart {
    /// Lays out bars of equal width. The vertical scale is chosen so that the tallest bar
    /// fits.
    pub fn new(title: &'static str, bars: &[Bar], legend: &[String]) -> Self {
        let total = |bar: &Bar| bar.parts.iter().map(|part| part.get().max(0)).sum::<i64>();
        let highest = bars.iter().map(total).max().unwrap_or(0);
        let scale = round_up(highest);
        let count = i64::try_from(bars.len()).unwrap_or(1).max(1);
        let step = (WIDTH - LEFT - RIGHT) / count;
        let base = HEIGHT - BOTTOM;
        let mut chart = Self {
            title,
            width: WIDTH,
            height: HEIGHT,
            boxes: Vec::new(),
            lines: [0, 1, 2].map(|half| line(half, scale)).into(),
            labels: Vec::new(),
            legend: legend.iter().enumerate().map(|(place, name)| (format!("s{place}"), name.clone())).collect(),
            base,
            left: LEFT,
            empty: highest == 0,
        };
        for (place, bar) in (0..).zip(bars) {
            let x = LEFT + place * step;
            if place % 7 == (count - 1) % 7 {
                chart.labels.push((x + step / 2, day_of_month(&bar.label).unwrap_or_default()));
            }
            chart.stack(bar, legend, x + 1, (step - 3).max(1), scale);
        }
        chart
    }

    fn stack(&mut self, bar: &Bar, legend: &[String], x: i64, width: i64, scale: i64) {
        let mut sum = 0;
        for (place, part) in bar.parts.iter().enumerate().filter(|(_, part)| **part > Millipence::ZERO) {
            let (low, high) = (height(sum, scale), height(sum + part.get(), scale));
            sum += part.get();
            let name = legend.get(place).map_or("others", String::as_str);
            self.boxes.push(Block {
                x,
                y: self.base - high,
                width,
                // Draw at least one unit, so that a small amount is visible.
                height: (high - low).max(1),
                class: format!("s{place}"),
                title: format!("{}: {name} {part}", bar.label),
            });
        }
    }
}

fn line(half: i64, scale: i64) -> Line {
    let at = scale / 2 * half;
    let amount = Millipence::new(at).display_gbp();
    let text = amount.strip_suffix(".00").unwrap_or(&amount).to_owned();
    Line { y: HEIGHT - BOTTOM - height(at, scale), text }
}

fn height(amount: i64, scale: i64) -> i64 {
    let room = i128::from(HEIGHT - BOTTOM - TOP);
    i64::try_from(i128::from(amount) * room / i128::from(scale.max(1))).unwrap_or(0)
}

/// Returns the top of the scale in millipence: the next of 2, 4, 10, 20, 40, 100 … pence,
/// so that half of it is a whole number of pence.
fn round_up(highest: i64) -> i64 {
    let mut ten = 1_000_i64;
    loop {
        for step in [2, 4, 10] {
            let scale = ten.saturating_mul(step);
            if scale >= highest || scale == i64::MAX {
                return scale;
            }
        }
        ten = ten.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scales_have_whole_halves() {
        for (highest, scale) in [(0, 2_000), (2_000, 2_000), (2_001, 4_000), (5_000, 10_000), (123_456, 200_000)] {
            assert_eq!(round_up(highest), scale);
        }
        assert_eq!(round_up(i64::MAX), i64::MAX);
    }

    #[test]
    fn an_empty_month_has_no_bars() {
        let bars: Vec<Bar> = (0..30).map(|day| Bar { label: format!("2026-01-{day:02}"), parts: vec![] }).collect();
        let chart = Chart::new("Sales", &bars, &[]);
        assert!(chart.empty && chart.boxes.is_empty() && chart.lines.len() == 3);
        assert_eq!(chart.labels.last().unwrap().1, "29 Jan", "the last day must have a label");
    }

    proptest! {
        #[test]
        fn bars_stay_inside_and_do_not_overlap(
            days in proptest::collection::vec(proptest::collection::vec(0_i64..1_000_000_000_000, 6), 1..60),
        ) {
            let bar = |parts: &Vec<i64>| {
                Bar { label: "2026-01-01".to_owned(), parts: parts.iter().map(|n| Millipence::new(*n)).collect() }
            };
            let chart = Chart::new("Sales", &days.iter().map(bar).collect::<Vec<_>>(), &["a".to_owned()]);
            for block in &chart.boxes {
                prop_assert!(block.x >= LEFT && block.x + block.width <= WIDTH - RIGHT);
                prop_assert!(block.y >= 0 && block.y + block.height <= HEIGHT - BOTTOM + 1);
            }
        }
    }
}
