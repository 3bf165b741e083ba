//! Fuzzes the target `onnx` of `brain-fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| brain_fuzz::run("onnx", data));
