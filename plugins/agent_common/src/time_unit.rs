//! Units of time in which the steps of a series are counted.

use crate::periods::Step;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A day from Monday to Friday.
    WorkingDay,
    /// A week.
    Week,
    /// A month.
    Month,
    /// A quarter.
    Quarter,
    /// A year.
    Year,
}

impl Unit {
    /// Returns the unit of a step; none for steps without a name.
    pub fn of_step(step: Step) -> Option<Self> {
        Some(match step {
            Step::Minutes(60) => Self::Hour,
            Step::Minutes(1) => Self::Minute,
            Step::Days(1) => Self::Day,
            Step::WorkingDays => Self::WorkingDay,
            Step::Days(7) => Self::Week,
            Step::Months(1) => Self::Month,
            Step::Months(3) | Step::Quarters(1) => Self::Quarter,
            Step::Months(12) | Step::Years(1) => Self::Year,
            _ => return None,
        })
    }

    /// Returns the usual word.
    pub fn name(self) -> &'static str {
        self.plural().trim_end_matches('s')
    }

    /// Returns the usual word for several.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Minute => "minutes",
            Self::Hour => "hours",
            Self::Day | Self::WorkingDay => "days",
            Self::Week => "weeks",
            Self::Month => "months",
            Self::Quarter => "quarters",
            Self::Year => "years",
        }
    }

    /// Returns how many of `self` make one of `whole`; none if that is not known.
    pub fn steps_in(self, whole: Self) -> Option<u32> {
        Some(match (self, whole) {
            (own, whole) if own == whole => 1,
            (Self::WorkingDay, Self::Day) => 1,
            (Self::Minute, Self::Hour) => 60,
            (Self::Hour, Self::Day) => 24,
            (Self::Hour, Self::Week) => 168,
            (Self::Day, Self::Week) => 7,
            (Self::WorkingDay, Self::Week) => 5,
            (Self::Day, Self::Month) => 30,
            (Self::Week, Self::Month) | (Self::Quarter, Self::Year) => 4,
            (Self::Week, Self::Quarter) => 13,
            (Self::Week, Self::Year) => 52,
            (Self::Month, Self::Quarter) => 3,
            (Self::Month, Self::Year) => 12,
            _ => return None,
        })
    }
}
