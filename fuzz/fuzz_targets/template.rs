//! Fuzzes the target `template` of `brain-fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| brain_fuzz::run("template", data));
