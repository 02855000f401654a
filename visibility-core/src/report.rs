//! Pure renderers of scan reports.
