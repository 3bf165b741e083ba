//! `brain-bench http`: repeats one request over persistent connections. It knows nothing of Brain, so peers are
//! measured with the same load generator.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use brain::bench::{Measured, round};
use serde_json::json;

use crate::cli::{BenchHttpArgs, Global};
use crate::show;
use crate::show::BOLD;

/// Timeout of a response.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum size of a response.
const MAX_ANSWER: usize = 64 << 20;

pub(crate) fn run(global: &Global, args: &BenchHttpArgs) -> Result<()> {
    if args.runs == 0 || args.in_flight == 0 {
        bail!("--runs and --in-flight must be at least 1");
    }
    let rest = args.url.strip_prefix("http://").context("the address must begin with http://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let request = format!(
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
        args.body.len(),
        args.body
    );
    // Warm up both sides.
    drop(drive(host, &request, args.in_flight.min(args.runs), args.in_flight)?);
    let measured = drive(host, &request, args.runs, args.in_flight)?;
    if global.json {
        show::json(&json!({
            "runs": args.runs, "in_flight": args.in_flight, "runs_per_second": round(measured.per_second()),
            "p50_ms": round(measured.percentile(0.5)), "p99_ms": round(measured.percentile(0.99)),
        }));
        return Ok(());
    }
    anstream::println!("{BOLD}{} requests, {} in flight{BOLD:#}", args.runs, args.in_flight);
    anstream::println!(
        "  {:>8.0} /s   p50 {:.2} ms   p99 {:.2} ms",
        measured.per_second(),
        measured.percentile(0.5),
        measured.percentile(0.99)
    );
    Ok(())
}

fn drive(host: &str, request: &str, runs: usize, in_flight: usize) -> Result<Measured> {
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let clients: Vec<_> = (0..in_flight.min(runs))
        .map(|_| {
            let (host, request, next) = (host.to_owned(), request.to_owned(), next.clone());
            std::thread::spawn(move || -> Result<Vec<f64>> {
                let stream = TcpStream::connect(&host).with_context(|| format!("{host} cannot be reached"))?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                let mut connection = BufReader::new(stream);
                let mut latencies = Vec::new();
                while next.fetch_add(1, Ordering::Relaxed) < runs {
                    let begun_at = Instant::now();
                    connection.get_mut().write_all(request.as_bytes())?;
                    let (status, body) = answer(&mut connection)?;
                    ensure!(matches!(status, 200 | 202), "answered with {status}: {}", String::from_utf8_lossy(&body));
                    latencies.push(begun_at.elapsed().as_secs_f64() * 1e3);
                }
                Ok(latencies)
            })
        })
        .collect();
    let mut latencies = Vec::with_capacity(runs);
    for client in clients {
        latencies.extend(client.join().map_err(|_| anyhow!("a client panicked"))??);
    }
    Ok(Measured::new(started.elapsed().as_secs_f64(), latencies))
}

/// Reads one response completely; returns status and body.
pub(crate) fn answer(connection: &mut impl BufRead) -> Result<(u16, Vec<u8>)> {
    let mut line = String::new();
    connection.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.with_context(|| format!("`{}` is not the beginning of a response", line.trim_end()))?;
    let (mut length, mut chunked) = (0, false);
    loop {
        line.clear();
        connection.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse()?,
            "transfer-encoding" => chunked = value.trim().eq_ignore_ascii_case("chunked"),
            _ => {}
        }
    }
    let mut body = Vec::new();
    if !chunked {
        take(connection, length, &mut body)?;
        return Ok((status, body));
    }
    loop {
        line.clear();
        connection.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim_end().split(';').next().unwrap_or_default(), 16)?;
        take(connection, size, &mut body)?;
        line.clear();
        connection.read_line(&mut line)?;
        if size == 0 {
            return Ok((status, body));
        }
    }
}

fn take(connection: &mut impl Read, length: usize, body: &mut Vec<u8>) -> Result<()> {
    ensure!(body.len() + length <= MAX_ANSWER, "the response has more than {MAX_ANSWER} bytes");
    let begin = body.len();
    body.resize(begin + length, 0);
    connection.read_exact(&mut body[begin..])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_exactly_to_their_end() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n1;x\r\nd\r\n0\r\n\r\n";
        let mut connection = text.as_bytes();
        assert_eq!(answer(&mut connection).unwrap(), (200, b"hi".to_vec()));
        assert_eq!(answer(&mut connection).unwrap(), (503, b"abcd".to_vec()));
        assert!(answer(&mut connection).is_err());
    }
}
