//! scratch
use brain_kernel::scenario::corpus::{Grade, score};
use brain_registry::model::CorpusSet;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let registry = match brain_registry::load_with(&[args[1].clone().into()], &brain_tools::natives()) {
        Ok(l) => l.registry,
        Err(r) => panic!("{}", r.render(false)),
    };
    let encoder = brain_kernel::LanguageConfig::default().encoder;
    let reader = brain_kernel::scenario::corpus_vocabulary(&registry, encoder);
    let set = if args.get(2).is_some_and(|a| a == "tune") { CorpusSet::Tune } else { CorpusSet::Test };
    let t = std::time::Instant::now();
    reader.read("hello there");
    eprintln!("fit {:?}", t.elapsed());
    let t = std::time::Instant::now();
    let result = score(&registry, set, |text| reader.read(text));
    let each = t.elapsed() / result.total().max(1) as u32;
    if let Some(path) = args.get(3) {
        use std::io::Write as _;
        let mut out = std::fs::File::create(path).unwrap();
        for (row, got) in registry.corpus().iter().filter(|row| row.set == set).zip(&result.rows) {
            let u = reader.read(&row.say);
            writeln!(out, "{}", serde_json::json!({"say": row.say, "group": row.group, "grade": got.verdict, "wanted": got.wanted, "u": u})).unwrap();
        }
    }
    for row in &result.rows {
        if row.verdict != Grade::Right {
            println!(
                "{:?} [{}] “{}”\n    wanted {}\n    read   {}",
                row.verdict, row.group, row.say, row.wanted, row.read
            );
        }
    }
    for (name, s) in result.groups().iter().map(|(n, s)| (n.to_string(), s)).chain([("all".to_owned(), &result)]) {
        print!("{name:18} {:4}", s.total());
        for g in Grade::ALL {
            print!(" {:6.1}", s.share(g));
        }
        println!();
    }
    println!("{each:?} each");
}
