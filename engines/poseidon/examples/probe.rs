//! probe
use halimede_arith::serial::{fr, limbs::Limbs, run, Arithmetic, Kernel};
use halimede_arith::{Backend, Fr};
use halimede_poseidon::{optimized, Strength};
use std::time::Instant;
pub fn best(mut f: impl FnMut()) -> f64 {
    let mut b = f64::MAX;
    let until = Instant::now() + std::time::Duration::from_millis(500);
    while Instant::now() < until {
        let t = Instant::now();
        for _ in 0..10 {
            f();
        }
        b = b.min(t.elapsed().as_secs_f64() / 10.0 * 1e6);
    }
    b
}
struct Chain(Limbs);
impl Kernel for Chain {
    type Output = Limbs;
    #[inline(always)]
    fn compute<C: Arithmetic>(self) -> Limbs {
        let mut x = self.0;
        for _ in 0..100 {
            x = fr::fold::<C>(fr::add::<C>([1, 2, 3, 4, 0], C::fifth_power(x)));
        }
        x
    }
}
struct Chain2(Limbs);
impl Kernel for Chain2 {
    type Output = Limbs;
    #[inline(always)]
    fn compute<C: Arithmetic>(self) -> Limbs {
        let mut x = self.0;
        for _ in 0..100 {
            x = C::fifth_power(x);
            x[3] >>= 2;
        }
        x
    }
}
fn main() {
    let x = [1u64, 2, 3, 4];
    let mut y = x;
    println!(
        "sbox+add+fold chain ns {:.2}",
        best(|| {
            y = run(Backend::Adx, Chain(y));
        }) * 10.0
    );
    println!(
        "sbox chain ns {:.2}",
        best(|| {
            y = run(Backend::Adx, Chain2(y));
        }) * 10.0
    );
    for w in [3, 5, 9, 12] {
        let mut s: Vec<Fr> = (1..=w as u64).map(Fr::from).collect();
        let t = best(|| optimized::permute_filecoin_with(Backend::Adx, Strength::Standard, &mut s));
        let d = best(|| {
            s[0] = optimized::filecoin_digest_with(Backend::Adx, Strength::Standard, &s).unwrap();
        });
        let i = best(|| {
            optimized::permute_filecoin_with(Backend::Avx512Ifma, Strength::Standard, &mut s)
        });
        let mut a = s.clone();
        let mut b = s.clone();
        optimized::permute_filecoin_with(Backend::Avx512Ifma, Strength::Standard, &mut a);
        optimized::permute_filecoin_with(Backend::Adx, Strength::Standard, &mut b);
        let j = best(|| {
            optimized::permute_filecoin_with(Backend::Avx512Ifma, Strength::Strengthened, &mut s)
        });
        let extra = [14.0, 0.0, 14.0, 0.0, 0.0, 0.0, 15.0, 0.0, 0.0, 15.0][w - 3];
        println!("one state {i:.3} {} a partial round {:.1} ns", a == b, (j - i) * 1e3 / extra);
        let t2 =
            best(|| optimized::permute_filecoin_with(Backend::Adx, Strength::Strengthened, &mut s));
        println!("adx partial {:.1}", (t2 - t) * 1e3 / extra);
        println!("adx filecoin-{} {t:.3} digest {d:.3}", w - 1);
    }
}
