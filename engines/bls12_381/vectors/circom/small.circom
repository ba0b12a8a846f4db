pragma circom 2.0.0;

// z = (x·y + Σ 2^i·bit_i)^5, with bits of x's low part.
template Small(n) {
    signal input x;
    signal input y;
    signal input bits[n];
    signal output z;
    signal product;
    signal sum[n + 1];
    signal square;
    signal fourth;
    product <== x * y;
    sum[0] <== product + 3;
    for (var i = 0; i < n; i++) {
        bits[i] * (1 - bits[i]) === 0;
        sum[i + 1] <== sum[i] + (1 << i) * bits[i] * y;
    }
    square <== sum[n] * sum[n];
    fourth <== square * square;
    z <== fourth * sum[n];
}

component main {public [y]} = Small(9);
