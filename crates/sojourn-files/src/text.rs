//! Parts of files that are no content: the encoding of a text, and comments before it.

use crate::error::{Place, ReadError};

/// A text in UTF-16 with its byte order mark, as spreadsheets write "Unicode text"; none for any other file.
pub fn from_utf16(bytes: &[u8]) -> Result<Option<String>, ReadError> {
    let (unit, rest): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return Ok(None),
    };
    let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    match String::from_utf16(&units) {
        Ok(text) if rest.len() % 2 == 0 => Ok(Some(text)),
        _ => Err(ReadError::new(Place::File, "the file begins as a text in UTF-16, and is not one to its end")),
    }
}

/// The bytes behind a byte order mark and behind comments, lines that begin with `#` or are empty; and the number of these lines.
pub fn behind_comments(bytes: &[u8]) -> (u64, &[u8]) {
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for skipped in 0.. {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let is_comment =
            rest.trim_ascii_start().first() == Some(&b'#') && rest[..end].trim_ascii().first() == Some(&b'#');
        if end == 0 || !(is_comment || rest[..end].trim_ascii().is_empty()) {
            return (skipped, rest);
        }
        rest = &rest[end..];
    }
    (0, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_of_utf_16_are_read() {
        let units: Vec<u16> = "time_s,bytes,flow\n0,1,ä\n".encode_utf16().collect();
        let little: Vec<u8> = [0xfeff].iter().chain(&units).flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = [0xfeff].iter().chain(&units).flat_map(|unit| unit.to_be_bytes()).collect();

        for file in [&little, &big] {
            assert_eq!(crate::read(file).unwrap().flows, ["ä"]);
            assert!(crate::read(&file[..file.len() - 1]).unwrap_err().to_string().contains("UTF-16"));
        }
        assert_eq!(from_utf16(b"time_s"), Ok(None));
    }

    #[test]
    fn comments_are_counted() {
        assert_eq!(behind_comments(b"\xef\xbb\xbf# a\n\n  # b\nx\n# c"), (3, &b"x\n# c"[..]));
        assert_eq!(behind_comments(b"x"), (0, &b"x"[..]));
        assert_eq!(behind_comments(b"# a"), (1, &b""[..]));
        assert_eq!(behind_comments(b""), (0, &b""[..]));
    }
}
