//! Fuzzes the target `program` of `brain-fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| brain_fuzz::run("program", data));
