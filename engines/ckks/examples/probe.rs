//! probe
use halimede_ckks::{Client, Complex, Operations, Parameters};
use std::time::Instant;
fn best(n: usize, mut f: impl FnMut()) -> f64 {
    let mut b = f64::MAX;
    for _ in 0..n {
        let s = Instant::now();
        f();
        b = b.min(s.elapsed().as_secs_f64());
    }
    b * 1e3
}
fn main() {
    let s = Instant::now();
    let p = Parameters::preset("n16").unwrap();
    println!("{p}\nparams {:?}", s.elapsed());
    let s = Instant::now();
    let mut c = Client::new(&p).unwrap();
    println!("client {:?}", s.elapsed());
    let s = Instant::now();
    let e =
        c.evaluator(&Operations { multiply: true, conjugate: false, rotations: (1..=8).collect() });
    println!("9 keys {:?}", s.elapsed());
    let v: Vec<Complex> =
        (0..p.slots()).map(|i| Complex::new((i % 1009) as f64 / 1009.0, 0.1)).collect();
    let s = Instant::now();
    let a = c.encrypt(&v).unwrap();
    println!("encrypt {:?}", s.elapsed());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        println!(
            "add {:.1}",
            best(9, || {
                e.add(&a, &a).unwrap();
            })
        );
        println!(
            "pmult+encode+rescale {:.1}",
            best(5, || {
                e.mul_plain(&a, &v).unwrap();
            })
        );
        println!(
            "rescale {:.1}",
            best(5, || {
                e.rescale(&a).unwrap();
            })
        );
        println!(
            "cmult {:.1}",
            best(5, || {
                e.mul(&a, &a).unwrap();
            })
        );
        println!(
            "rotate {:.1}",
            best(5, || {
                e.rotate(&a, 1).unwrap();
            })
        );
        println!(
            "hoisted 8 {:.1}",
            best(3, || {
                e.rotate_many(&a, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
            })
        );
        println!(
            "decrypt {:.1}",
            best(3, || {
                c.decrypt(&a);
            })
        );
        e.parameters().ring().start_trace();
        e.mul(&a, &a).unwrap();
        println!("{}", e.parameters().ring().end_trace().counts());
    });
}
