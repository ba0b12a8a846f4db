// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A line of JSON that names a key, what was signed, and a signature.

use serde::Deserialize;

use crate::json_line::{bytes, object, Text};

/// The signed message.
#[derive(Debug, PartialEq, Eq)]
pub enum Signed {
    /// A message, to be hashed.
    Message(Vec<u8>),
    /// A digest.
    Digest(Vec<u8>),
}

impl Signed {
    /// Reads the one of two fields that there is.
    fn parse(
        text: &str,
        message: Option<&Text<'_>>,
        digest: Option<&Text<'_>>,
    ) -> Result<Self, String> {
        match (message, digest) {
            (Some(message), None) => Ok(Self::Message(bytes(text, "msg", message)?)),
            (None, Some(digest)) if digest.0.is_empty() => Err("`digest` is empty".into()),
            (None, Some(digest)) => Ok(Self::Digest(bytes(text, "digest", digest)?)),
            (Some(_), Some(_)) => Err("there are both `msg` and `digest`".into()),
            (None, None) => Err("there is neither `msg` nor `digest`".into()),
        }
    }
}

/// A signature that a key is to be recovered from, its parts of any length and content.
#[derive(Debug, PartialEq, Eq)]
pub struct RecoverableLine {
    pub signed: Signed,
    pub signature: Vec<u8>,
}

#[derive(Deserialize)]
struct RecoverableFields<'l> {
    #[serde(borrow)]
    msg: Option<Text<'l>>,
    #[serde(borrow)]
    digest: Option<Text<'l>>,
    #[serde(borrow)]
    sig: Text<'l>,
}

impl RecoverableLine {
    /// Reads a line.
    ///
    /// # Errors
    /// As [`Line::parse`].
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields: RecoverableFields<'_> = object(text)?;
        let signed = Signed::parse(text, fields.msg.as_ref(), fields.digest.as_ref())?;
        Ok(Self { signed, signature: bytes(text, "sig", &fields.sig)? })
    }
}

/// A signature to be checked, its parts of any length and content.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    pub key: Vec<u8>,
    pub signed: Signed,
    pub signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Fields<'l> {
    #[serde(borrow)]
    key: Text<'l>,
    #[serde(borrow)]
    msg: Option<Text<'l>>,
    #[serde(borrow)]
    digest: Option<Text<'l>>,
    #[serde(borrow)]
    sig: Text<'l>,
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// The fault; columns are bytes of the line, from 1.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields: Fields<'_> = object(text)?;
        let signed = Signed::parse(text, fields.msg.as_ref(), fields.digest.as_ref())?;
        let key = bytes(text, "key", &fields.key)?;
        let signature = bytes(text, "sig", &fields.sig)?;
        Ok(Self { key, signed, signature })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_read_in_any_order_and_others_passed_over() {
        let line = r#" {"sig":"0x0AfF", "id": [1, {"key": 2}], "digest": "00", "key" : "0203"} "#;
        let expected =
            Line { key: vec![2, 3], signed: Signed::Digest(vec![0]), signature: vec![10, 255] };
        assert_eq!(Line::parse(line), Ok(expected));
        // Escapes are JSON too.
        let line = r#"{"key":"\u00302","msg":"","sig":""}"#;
        let expected = Line { key: vec![2], signed: Signed::Message(vec![]), signature: vec![] };
        assert_eq!(Line::parse(line), Ok(expected));
        let null = r#"{"key":"","msg":null,"digest":"7f","sig":""}"#;
        assert_eq!(Line::parse(null).unwrap().signed, Signed::Digest(vec![0x7f]));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_column() {
        let cases = [
            ("", "column 1: a line is a JSON object, from { on"),
            ("valid", "column 1: a line is a JSON object, from { on"),
            (r#"  ["02", "00", null, "30"]"#, "column 3: a line is a JSON object, from { on"),
            ("{7", "column 2: key must be a string"),
            (r#"{"key":"02""#, "column 11: EOF while parsing an object"),
            (r#"{"key":"02"} 1"#, "column 12: missing field `sig`"),
            (r#"{"key":"","msg":"","sig":""} x"#, "column 30: trailing characters"),
            (r#"{"key":"","sig":""}"#, "there is neither `msg` nor `digest`"),
            (r#"{"key":"","sig":"","msg":"","digest":""}"#, "there are both `msg` and `digest`"),
            (r#"{"key":"","sig":"","digest":""}"#, "`digest` is empty"),
            (r#"{"key":"","key":"","sig":"","msg":""}"#, "column 15: duplicate field `key`"),
            (
                r#"{"key":2,"sig":"","msg":""}"#,
                "column 8: invalid type: integer `2`, expected a string",
            ),
            (
                r#"{"key":"02x3","sig":"","msg":""}"#,
                "column 11: 'x' in `key` is not a hexadecimal digit",
            ),
            (
                r#"{"key":"0x0g","sig":"","msg":""}"#,
                "column 12: 'g' in `key` is not a hexadecimal digit",
            ),
            (
                r#"{"key":"","sig":"1é4","msg":""}"#,
                "column 19: 'é' in `sig` is not a hexadecimal digit",
            ),
            (
                r#"{"key":"","sig":"","msg":"123"}"#,
                "column 27: `msg` has an odd number of hexadecimal digits",
            ),
            (
                r#"{"key":"","sig":"\u0031","msg":""}"#,
                "`sig` has an odd number of hexadecimal digits",
            ),
            (r#"{"key":"","sig":"\u0031g","msg":""}"#, "'g' in `sig` is not a hexadecimal digit"),
            (r#"{"key":"","sig":"\ud800","msg":""}"#, "column 24: unexpected end of hex escape"),
        ];
        for (line, expected) in cases {
            assert_eq!(Line::parse(line).unwrap_err(), expected, "{line}");
        }
        let deep = format!(r#"{{"key":"","sig":"","msg":"","x":{}"#, "[".repeat(100_000));
        assert!(Line::parse(&deep).unwrap_err().starts_with("column "));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(
            text in prop_oneof![
                any::<String>(),
                r#"\{"(key|sig|msg|digest)":"[0-9a-fgx\\é]{0,9}"(,"(key|sig|msg|digest)":"[0-9a-f]{0,8}"){0,4}\}?"#,
            ],
        ) {
            if let Err(error) = Line::parse(&text) {
                prop_assert!(!error.is_empty() && !error.contains("line 1"));
            }
        }

        #[test]
        fn what_is_written_is_read(
            key in prop::collection::vec(any::<u8>(), 0..70),
            message in prop::collection::vec(any::<u8>(), 0..200),
            signature in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            let (k, m, s) = (hex::encode(&key), hex::encode_upper(&message), hex::encode(&signature));
            let text = serde_json::json!({ "key": k, "msg": m, "sig": s }).to_string();
            let signed = Signed::Message(message);
            prop_assert_eq!(Line::parse(&text), Ok(Line { key, signed, signature }));
        }
    }
}
