//! The texts of a sorted column without a copy of each: those of neighbors share a start, and many are the same.
//!
//! The encoding is `DELTA_BYTE_ARRAY` (<https://parquet.apache.org/docs/file-format/data-pages/encodings/>): how many bytes of
//! the text before it each text begins with, how many follow, and then those.

use std::ops::Range;

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::ParquetError;

use super::decode::broken;

/// Values of a block, at most; writers have 128.
const MAX_BLOCK: usize = 64 * 1024;

/// The texts of a column of a row group.
#[derive(Debug, Default)]
pub(super) struct SortedTexts {
    bytes: Vec<u8>,
    /// Where the text of each row is: at the same place if it is that of the row before.
    places: Vec<Range<usize>>,
    prefixes: Vec<usize>,
    suffixes: Vec<usize>,
}

impl SortedTexts {
    /// Reads the pages of a column with so many rows.
    pub(super) fn read(
        &mut self,
        pages: &mut dyn PageReader,
        rows: usize,
    ) -> Result<(), ParquetError> {
        self.clear();
        while let Some(page) = pages.get_next_page()? {
            let Page::DataPage { buf, encoding: Encoding::DELTA_BYTE_ARRAY, .. } = page else {
                return Err(broken("the texts are encoded in another way"));
            };
            self.add_page(&buf, rows)?;
        }
        if self.places.len() == rows { Ok(()) } else { Err(broken("a column is too short")) }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// The text of each row, and where it is: two rows with one place have the same text.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Range<usize>, &[u8])> {
        let text = |place: &Range<usize>| self.bytes.get(place.clone()).unwrap_or_default();
        self.places.iter().map(move |place| (place, text(place)))
    }

    /// The text of a row.
    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        self.bytes.get(self.places.get(row)?.clone())
    }

    fn add_page(&mut self, page: &[u8], rows: usize) -> Result<(), ParquetError> {
        let Self { bytes, places, prefixes, suffixes } = self;
        let rest = delta_numbers(page, rows, prefixes)?;
        let mut rest = delta_numbers(rest, rows, suffixes)?;
        if prefixes.len() != suffixes.len() || places.len() + prefixes.len() > rows {
            return Err(broken("a column is too long"));
        }
        // A page begins with a whole text.
        let mut before = 0..0;
        for (prefix, suffix) in prefixes.iter().zip(suffixes) {
            let length = before.len();
            if *prefix > length {
                return Err(broken("a text begins with more than there is"));
            }
            if *suffix == 0 && *prefix == length && !places.is_empty() {
                places.push(before.clone());
                continue;
            }
            let (added, behind) = rest
                .split_at_checked(*suffix)
                .ok_or_else(|| broken("a text ends behind its page"))?;
            rest = behind;
            let start = bytes.len();
            bytes.extend_from_within(before.start..before.start + prefix);
            bytes.extend_from_slice(added);
            before = start..bytes.len();
            places.push(before.clone());
        }
        Ok(())
    }
}

/// Reads numbers of `DELTA_BINARY_PACKED`; says what follows them.
fn delta_numbers<'a>(
    bytes: &'a [u8],
    most: usize,
    numbers: &mut Vec<usize>,
) -> Result<&'a [u8], ParquetError> {
    numbers.clear();
    let mut rest = bytes;
    let block = length(&mut rest)?;
    let parts = length(&mut rest)?;
    let count = length(&mut rest)?;
    let mut value = zigzag(varint(&mut rest)?);
    if block > MAX_BLOCK || parts == 0 || block % parts != 0 || count > most {
        return Err(broken("the lengths of texts are not encoded as they should be"));
    }
    let part = block / parts;
    if part % 8 != 0 || (part == 0 && count > 1) {
        return Err(broken("the lengths of texts are not encoded as they should be"));
    }
    let mut push = |value: i64| {
        let number = usize::try_from(value);
        numbers.push(number.map_err(|error| ParquetError::External(Box::new(error)))?);
        Ok::<_, ParquetError>(numbers.len())
    };
    let mut done = if count == 0 { 0 } else { push(value)? };
    while done < count {
        let least = zigzag(varint(&mut rest)?);
        let widths = take(&mut rest, parts)?;
        for width in widths {
            if done == count {
                break;
            }
            let packed = take(&mut rest, part / 8 * usize::from(*width))?;
            for number in 0..part.min(count - done) {
                let delta = unpacked(packed, *width, number)?;
                value = value.wrapping_add(least).wrapping_add(delta);
                done = push(value)?;
            }
        }
    }
    Ok(rest)
}

/// One of the numbers that are packed with so many bits each.
fn unpacked(packed: &[u8], width: u8, number: usize) -> Result<i64, ParquetError> {
    if width == 0 {
        return Ok(0);
    }
    if width > 32 {
        return Err(broken("a length has too many bits"));
    }
    let bit = number * usize::from(width);
    let bytes = packed.get(bit / 8..).unwrap_or_default();
    let word = match bytes.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let number = (word >> (bit % 8)) & ((1 << width) - 1);
    Ok(i64::try_from(number).unwrap_or(i64::MAX))
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], ParquetError> {
    let (taken, behind) =
        rest.split_at_checked(count).ok_or_else(|| broken("a page ends in a number"))?;
    *rest = behind;
    Ok(taken)
}

fn length(rest: &mut &[u8]) -> Result<usize, ParquetError> {
    usize::try_from(varint(rest)?).map_err(|error| ParquetError::External(Box::new(error)))
}

fn varint(rest: &mut &[u8]) -> Result<u64, ParquetError> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first().ok_or_else(|| broken("a page ends in a number"))?;
        *rest = behind;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(broken("a number is too long"))
}

fn zigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use parquet::column::page::PageMetadata;
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::ColumnPath;
    use proptest::prelude::*;

    use super::*;

    /// A file with one column, written by the library.
    fn file(texts: &[Vec<u8>], page_rows: usize) -> Bytes {
        let schema = parse_message_type("message m { required binary t (STRING); }").unwrap();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_column_encoding(ColumnPath::from("t"), Encoding::DELTA_BYTE_ARRAY)
            .set_data_page_row_count_limit(page_rows)
            .set_write_batch_size(page_rows)
            .build();
        let mut bytes = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut bytes, schema.into(), properties.into()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> = texts.iter().map(|text| text.clone().into()).collect();
        column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        bytes.into()
    }

    fn read(texts: &[Vec<u8>], page_rows: usize) -> Vec<Vec<u8>> {
        let file = SerializedFileReader::new(file(texts, page_rows)).unwrap();
        let group = file.get_row_group(0).unwrap();
        let mut pages = group.get_column_page_reader(0).unwrap();
        let mut read = SortedTexts::default();
        read.read(&mut *pages, texts.len()).unwrap();
        read.iter().map(|(_, text)| text.to_vec()).collect()
    }

    proptest! {
        #[test]
        fn what_the_library_writes_is_read(
            mut texts in prop::collection::vec(prop::collection::vec(97_u8..100, 0..9), 1..700),
            is_sorted: bool,
            page_rows in 1_usize..400,
        ) {
            if is_sorted {
                texts.sort();
            }
            prop_assert_eq!(read(&texts, page_rows), texts);
        }

        #[test]
        fn no_page_makes_it_panic(page in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut texts = SortedTexts::default();
            let _ = texts.add_page(&page, 100);
            prop_assert!(texts.places.len() <= 100);
        }
    }

    #[test]
    fn long_texts_and_same_ones_are_read() {
        let mut texts = vec![Vec::new(), Vec::new()];
        texts.extend((0..3_000_u32).map(|number| {
            let length = usize::try_from(number % 97 * 100).unwrap();
            let mut text = vec![b'x'; length];
            text.extend_from_slice(format!("{}", number / 5).as_bytes());
            text
        }));
        assert_eq!(read(&texts, 20_000), texts);
        let same = vec![b"/".to_vec(); 500];
        let file = SerializedFileReader::new(file(&same, 1_000)).unwrap();
        let group = file.get_row_group(0).unwrap();
        let mut read = SortedTexts::default();
        read.read(&mut *group.get_column_page_reader(0).unwrap(), 500).unwrap();
        assert_eq!(read.bytes, b"/");
    }

    /// Pages that are not there, or of another kind.
    struct OtherPages(Option<Page>);

    impl Iterator for OtherPages {
        type Item = Result<Page, ParquetError>;

        fn next(&mut self) -> Option<Self::Item> {
            self.get_next_page().transpose()
        }
    }

    impl PageReader for OtherPages {
        fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
            Ok(self.0.take())
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<(), ParquetError> {
            Ok(())
        }
    }

    #[test]
    fn other_pages_are_refused() {
        let mut texts = SortedTexts::default();
        assert!(texts.read(&mut OtherPages(None), 1).is_err());
        let page = Page::DataPage {
            buf: Bytes::from_static(b"\0"),
            num_values: 1,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        assert!(texts.read(&mut OtherPages(Some(page)), 1).is_err());
    }
}
