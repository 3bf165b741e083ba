//! Fuzzes the target `feel` of `brain-fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| brain_fuzz::run("feel", data));
