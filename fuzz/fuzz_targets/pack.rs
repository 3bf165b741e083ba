//! Fuzzes the target `pack` of `brain-fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| brain_fuzz::run("pack", data));
