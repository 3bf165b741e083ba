//! HTTP, OpenAPI and metrics over the kernel.
