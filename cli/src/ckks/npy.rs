// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads and writes NPY files of one-dimensional arrays of float64 and complex128 (NumPy
//! Enhancement Proposal 1: "A simple file format for NumPy arrays", versions 1.0 to 3.0).

use halimede_ckks::Complex;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The data begins at a multiple of this.
const ALIGNMENT: usize = 64;

/// Returns the values of a file, and `true` if they are real.
pub fn read(bytes: &[u8]) -> Result<(Vec<Complex>, bool), String> {
    let (header, data) = split(bytes).ok_or("not an NPY file: it has no header")?;
    let header = std::str::from_utf8(header).map_err(|_| "the NPY header is not text")?;
    let field = |name: &str| {
        let after = header.split_once(&format!("'{name}'")).map(|(_, after)| after.trim_start());
        let value = after.and_then(|after| after.strip_prefix(':')).map(str::trim_start);
        value.ok_or_else(|| format!("the NPY header has no '{name}'"))
    };
    let descr = field("descr")?;
    let is_complex = if descr.starts_with("'<f8'") {
        false
    } else if descr.starts_with("'<c16'") {
        true
    } else {
        let got: String = descr.chars().take_while(|c| *c != ',').take(40).collect();
        return Err(format!(
            "an array of {got}, expected '<f8' or '<c16': save it with .astype('<f8') or \
             .astype('<c16')"
        ));
    };
    let shape = field("shape")?;
    let inside = shape.strip_prefix('(').and_then(|shape| shape.split_once(')'));
    let length = inside.and_then(|(inside, _)| inside.trim().strip_suffix(','));
    let length =
        length.and_then(|length| length.trim().parse::<usize>().ok()).ok_or_else(|| {
            let got: String = shape.chars().take_while(|c| *c != ')').take(40).collect();
            format!("an array of the shape {got}), expected one dimension: save it with .ravel()")
        })?;
    let size = if is_complex { 16 } else { 8 };
    if length.checked_mul(size) != Some(data.len()) {
        return Err(format!(
            "{} bytes of data for {length} values of {size} bytes: the file is truncated or \
             damaged",
            data.len()
        ));
    }
    let number = |eight: &[u8]| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(eight);
        f64::from_le_bytes(bytes)
    };
    let value = |bytes: &[u8]| match bytes.split_at(8) {
        (re, []) => Complex::new(number(re), 0.0),
        (re, im) => Complex::new(number(re), number(im)),
    };
    Ok((data.chunks_exact(size).map(value).collect(), !is_complex))
}

/// Splits a file into the text of its header and the data.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let [major, _minor, rest @ ..] = bytes.strip_prefix(MAGIC)? else { return None };
    let (length, rest) = match (major, rest) {
        (1, [a, b, rest @ ..]) => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        (2 | 3, [a, b, c, d, rest @ ..]) => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        _ => return None,
    };
    rest.split_at_checked(length)
}

/// Returns the NPY file of values, or of their real parts.
pub fn write(values: &[Complex], is_real: bool) -> Vec<u8> {
    let descr = if is_real { "<f8" } else { "<c16" };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({},), }}", values.len());
    // Magic number, version and length take ten bytes; the header ends with a newline.
    let length = (10 + header.len() + 1).next_multiple_of(ALIGNMENT) - 10;
    header += &" ".repeat(length - 1 - header.len());
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for value in values {
        bytes.extend(value.re.to_le_bytes());
        if !is_real {
            bytes.extend(value.im.to_le_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The files that NumPy 2 writes for numpy.array([1.5, -2.0]), and for complex numbers.
    #[test]
    fn numpys_own_files() {
        let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
        file.extend(format!("{header:<117}\n").as_bytes());
        file.extend(1.5f64.to_le_bytes());
        file.extend((-2f64).to_le_bytes());
        let values = [Complex::new(1.5, 0.0), Complex::new(-2.0, 0.0)];
        assert_eq!(read(&file).unwrap(), (values.to_vec(), true));
        let ours = write(&values, true);
        assert_eq!(ours.len() % 16, 0);
        assert_eq!((ours.len() - 16) % ALIGNMENT, 0);
        assert_eq!(ours[10..10 + header.len()], *header.as_bytes());
        // A file of version 2, with its fields in another order.
        let header = b"{'shape': ( 1 , ), 'fortran_order': True, 'descr':'<c16'}\n";
        let mut file = b"\x93NUMPY\x02\x00".to_vec();
        file.extend((header.len() as u32).to_le_bytes());
        file.extend(header);
        file.extend([1.0f64.to_le_bytes(), 2.0f64.to_le_bytes()].concat());
        assert_eq!(read(&file).unwrap(), (vec![Complex::new(1.0, 2.0)], false));
    }

    #[test]
    fn other_arrays_are_refused() {
        let file = write(&[Complex::new(1.0, 2.0); 3], false);
        let with = |from: &str, to: &str| {
            assert_eq!(from.len(), to.len());
            let at = file.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
            let mut file = file.clone();
            file[at..at + to.len()].copy_from_slice(to.as_bytes());
            read(&file).unwrap_err()
        };
        assert!(with("'<c16'", "'>c16'").contains("astype"));
        assert!(with("'<c16'", "'<i8' ").contains("'<i8'"));
        assert!(with("(3,)", "(4,)").contains("48 bytes of data for 4 values"));
        assert!(with("(3,)", "()  ").contains("one dimension"));
        assert!(with("(3,), }", "(1,3),}").contains("the shape (1,3)"));
        assert!(with("(3,), }         ", "(99999999999999)").contains("one dimension"));
        assert!(with("shape", "shade").contains("no 'shape'"));
        assert!(read(&file[..file.len() - 1]).unwrap_err().contains("truncated or damaged"));
        for wrong in [&file[..5], &file[..9], &file[..40], b"1.5\n2.5\n", b""] {
            assert!(read(wrong).unwrap_err().contains("not an NPY file"));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            at in any::<prop::sample::Index>(), with in prop::collection::vec(any::<u8>(), 0..30),
        ) {
            let mut file = write(&[Complex::new(0.5, -0.25); 2], false);
            let at = at.index(file.len());
            let end = file.len().min(at + with.len());
            file.splice(at..end, with);
            let _ = read(&file);
        }
    }
}
