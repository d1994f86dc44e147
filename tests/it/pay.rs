//! pay
