//! Figures: rates and percentiles.

use std::{
    fs::File,
    io::{self, Write as _},
    time::{Duration, Instant},
};

/// What a measurement found.
pub struct Measured {
    elapsed: Duration,
    /// Processor time of the whole process.
    cpu: Duration,
    /// Sorted.
    latencies: Vec<Duration>,
}

impl Measured {
    /// Latencies measured since `began`, when the process had used `cpu`.
    pub fn new(began: Instant, cpu: Duration, mut latencies: Vec<Duration>) -> Measured {
        let (elapsed, cpu) = (began.elapsed(), cpu_time().saturating_sub(cpu));
        latencies.sort_unstable();
        Measured {
            elapsed,
            cpu,
            latencies,
        }
    }

    /// Calls a second.
    pub fn a_second(&self) -> f64 {
        self.latencies.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// One line that says it all.
    pub fn line(&self, name: &str) -> String {
        let ms = |share: f64| self.percentile(share).as_secs_f64() * 1_000.0;
        let cpu = self.cpu.as_secs_f64() * 1e6 / self.latencies.len().max(1) as f64;
        format!(
            "{name:<8}{:>9.0}/s   p50 {:>7.2} ms   p99 {:>7.2} ms   p99.9 {:>7.2} ms   cpu {cpu:>5.0} µs",
            self.a_second(),
            ms(0.5),
            ms(0.99),
            ms(0.999)
        )
    }

    /// What a share of the latencies don't exceed.
    pub fn percentile(&self, share: f64) -> Duration {
        let last = self.latencies.len().saturating_sub(1) as f64;
        let index = (share * last) as usize;
        self.latencies.get(index).copied().unwrap_or_default()
    }
}

/// Processor time that this process has used, user and system; zero where the system doesn't tell.
pub fn cpu_time() -> Duration {
    // Fields 14 and 15 of the line, counted after the name in parentheses; in ticks of 10 ms.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks: u64 = fields
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum();
    Duration::from_millis(10 * ticks)
}

/// How long it takes to bring 4 KiB to the disk, at the median.
pub fn fdatasync_p50() -> io::Result<Duration> {
    let folder = tempfile::tempdir()?;
    let mut file = File::create(folder.path().join("probe"))?;
    let mut times = Vec::new();
    for _ in 0..200 {
        file.write_all(&[0; 4096])?;
        let began = Instant::now();
        file.sync_data()?;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
