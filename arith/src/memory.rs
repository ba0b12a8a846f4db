// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory available to a process and its peak use, as Linux reports them (proc(5),
//! `/proc/meminfo` and `/proc/pid/status`).
//!
//! Call [`available_bytes`] before an allocation of gigabytes: Linux kills a process that allocates
//! too much, without an error message.

use std::fs::read_to_string;

/// Returns the bytes that can be allocated before the system begins to swap or to kill processes,
/// at most the limit of the control group. `None` if the system does not report them.
pub fn available_bytes() -> Option<u64> {
    let free = kibibytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable")?;
    let limit = control_group_limit().unwrap_or(u64::MAX);
    Some(free.min(limit))
}

/// Returns the peak memory of this process in bytes. `None` if the system does not report it.
pub fn peak_bytes() -> Option<u64> {
    kibibytes(&read_to_string("/proc/self/status").ok()?, "VmHWM")
}

/// Returns `memory.max` of the process's own group (cgroup v2), if it is a number.
fn control_group_limit() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let limit = read_to_string(format!("/sys/fs/cgroup{path}/memory.max")).ok()?;
    limit.trim().parse().ok()
}

/// Returns the bytes of the line `name:   number kB`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let is_it = |line: &&str| line.split(':').next() == Some(name);
    let mut words = text.lines().find(is_it)?.split_ascii_whitespace().skip(1);
    let number: u64 = words.next()?.parse().ok()?;
    number.checked_mul(1024).filter(|_| words.next() == Some("kB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_whole_names() {
        let text = "MemTotal:       24000000 kB\nMemAvailableX: 7 kB\nMemAvailable:   1234567 kB\n\
                    HugePages_Total:       5\nBad: x kB\nHuge: 18446744073709551615 kB\nEmpty:\n";
        assert_eq!(kibibytes(text, "MemAvailable"), Some(1_234_567 * 1024));
        for name in ["Mem", "HugePages_Total", "Bad", "Huge", "Empty", "None"] {
            assert_eq!(kibibytes(text, name), None, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_process_takes_counts() {
        let before = peak_bytes().unwrap();
        let taken = vec![1u8; before as usize + (64 << 20)];
        assert!(peak_bytes().unwrap() >= taken.len() as u64);
        assert!(available_bytes().unwrap() > 1 << 20);
    }
}
