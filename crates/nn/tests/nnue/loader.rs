//! The loader refuses everything that is not exactly a net, and says why.

use crate::random::{self, Flavor, Random};
use tabiya_nn::{HeadParts, NetError, Network, Parts, Shape, SingleParts};

/// Bytes before the provenance text.
const HEADER: usize = 60;
const TEXT: &str = "a test, für alle Fälle";

fn small() -> (Shape, Parts, Vec<u8>) {
    let shape = Shape::new(128, 1, 1).expect("a known shape");
    let parts = random::parts(&mut Random(5), shape, Flavor::Wild);
    let bytes = Network::from_parts(shape, &parts, TEXT).expect("inside the limits").save();
    (shape, parts, bytes)
}

/// Puts the checksum right again after a change.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let body = bytes.len() - 8;
    let mut hash = 0xcbf29ce484222325_u64;
    for byte in &bytes[..body] {
        hash = (hash ^ *byte as u64).wrapping_mul(0x100000001b3);
    }
    bytes[body..].copy_from_slice(&hash.to_le_bytes());
    bytes
}

fn single(parts: &mut Parts) -> &mut SingleParts {
    match &mut parts.head {
        HeadParts::Single(single) => single,
        HeadParts::Deep(_) => panic!("one hidden layer"),
    }
}

fn message(bytes: &[u8]) -> String {
    Network::load(bytes).expect_err("must be refused").to_string()
}

#[test]
fn nets_survive_a_round_trip() {
    let mut random = Random(1);
    for hidden in Shape::HIDDEN {
        let shape = Shape::new(hidden, Shape::KING_BUCKETS[random.below(4)], 8).unwrap();
        let parts = random::parts(&mut random, shape, Flavor::Extreme);
        let net = Network::from_parts(shape, &parts, TEXT).unwrap();
        let loaded = Network::load(&net.save()).unwrap();
        assert!(loaded == net && loaded.to_parts() == parts);
        assert_eq!(loaded.info(), net.info());
        assert_eq!((loaded.provenance(), loaded.shape()), (TEXT, shape));
        assert!(loaded.info().to_string().ends_with(TEXT));
    }
}

#[test]
fn every_truncation_is_refused() {
    let (_, _, bytes) = small();
    assert!(Network::load(&bytes).is_ok());
    for len in 0..bytes.len() {
        assert!(matches!(Network::load(&bytes[..len]), Err(NetError::Truncated(_))), "{len}");
    }
    assert_eq!(message(&bytes[..20]), "net: file ends inside the header");
    assert_eq!(message(&bytes[..bytes.len() - 1]), "net: file ends inside the checksum");
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(message(&longer), "net: 1 bytes after the end");
}

#[test]
fn every_changed_byte_of_the_header_is_refused() {
    let (_, _, bytes) = small();
    for place in (0..HEADER + TEXT.len()).chain(bytes.len() - 8..bytes.len()) {
        for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut broken = bytes.clone();
            broken[place] ^= flip;
            assert!(Network::load(&broken).is_err(), "byte {place} xor {flip}");
            // A right checksum does not help, except for text that is still text.
            let is_text = (HEADER..HEADER + TEXT.len()).contains(&place);
            if place < HEADER {
                assert!(Network::load(&sealed(broken)).is_err(), "byte {place} xor {flip}");
            } else if is_text && flip < 128 {
                let _ = Network::load(&sealed(broken));
            }
        }
    }
}

#[test]
fn changes_of_the_payload_are_refused() {
    let (_, _, bytes) = small();
    let mut random = Random(9);
    for _ in 0..1000 {
        let mut broken = bytes.clone();
        for _ in 0..=random.below(3) {
            let place = HEADER + random.below(bytes.len() - HEADER);
            broken[place] = broken[place].wrapping_add(1 + random.below(255) as u8);
        }
        if broken != bytes {
            assert_eq!(Network::load(&broken), Err(NetError::Checksum));
        }
    }
}

#[test]
fn random_bytes_and_headers_never_panic() {
    let (_, _, bytes) = small();
    let mut random = Random(13);
    for _ in 0..20_000 {
        let mut noise: Vec<u8> = (0..random.below(200)).map(|_| random.next() as u8).collect();
        let keep = random.below(HEADER + 1).min(noise.len());
        noise[..keep].copy_from_slice(&bytes[..keep]);
        assert!(Network::load(&noise).is_err());
    }
}

#[test]
fn a_wrong_header_is_named() {
    let (_, _, bytes) = small();
    let with = |place: usize, value: u32| {
        let mut changed = bytes.clone();
        changed[place..place + 4].copy_from_slice(&value.to_le_bytes());
        message(&sealed(changed))
    };
    assert_eq!(with(0, 7), "net: not a net file");
    assert_eq!(with(8, 3), "net: version 3, this build knows 1 and 2");
    assert_eq!(with(12, 9), "net: family 9, version 1 knows 1");
    assert_eq!(
        with(16, 100),
        "net: 100 hidden neurons, this build knows 128, 256, 384, 512, 640, 768 or 1024"
    );
    assert_eq!(with(20, 3), "net: 3 king buckets, this build knows 1, 4, 8 or 16");
    assert_eq!(with(24, 384), "net: 384 outputs, this build knows 1 or 8");
    assert_eq!(
        with(28, 181),
        "net: quantisation 181, 64, scale 400, this build knows 255, 64, 400"
    );
    assert_eq!(with(40, 1), "net: features or layers are defined differently");
    assert_eq!(with(48, 70_000), "net: provenance text of 70000 bytes, the limit is 65536");
    assert_eq!(with(52, 12), "net: payload of 12 bytes, the shape asks for 197380");
    let mut damaged = bytes.clone();
    damaged[HEADER + 100] ^= 1;
    assert_eq!(message(&damaged), "net: checksum mismatch");
    let mut latin = bytes.clone();
    latin[HEADER] = 0xFF;
    assert_eq!(message(&sealed(latin)), "net: provenance text is not UTF-8");
}

#[test]
fn weights_that_could_overflow_are_refused() {
    let (shape, parts, _) = small();
    let refuse = |change: &dyn Fn(&mut Parts)| {
        let mut changed = parts.clone();
        change(&mut changed);
        Network::from_parts(shape, &changed, "").expect_err("must be refused").to_string()
    };
    assert_eq!(
        refuse(&|parts| parts.ft_weights[77] = -505),
        "net: hidden weight 77 is -505, the limit is 504"
    );
    assert_eq!(
        refuse(&|parts| parts.ft_bias[3] = i16::MIN),
        "net: hidden bias 3 is -32768, the limit is 504"
    );
    assert_eq!(
        refuse(&|parts| single(parts).output_weights[0] = 129),
        "net: output weight 0 is 129, the limit is 128"
    );
    assert_eq!(
        refuse(&|parts| single(parts).output_bias[0] = i32::MIN),
        "net: output bias 0 is -2147483648, the limit is 16777216"
    );
    assert_eq!(
        refuse(&|parts| parts.ft_bias.truncate(7)),
        "net: 7 hidden biases, the shape asks for 128"
    );
    let shape = Shape::new(512, 1, 1).unwrap();
    let mut parts = random::parts(&mut Random(2), shape, Flavor::Mild);
    single(&mut parts).output_weights.fill(-33);
    assert_eq!(
        Network::from_parts(shape, &parts, "").unwrap_err().to_string(),
        "net: weights of output 0 add up to -33792, the limit is 33025"
    );
    let text = "x".repeat(70_000);
    single(&mut parts).output_weights.fill(1);
    assert_eq!(Network::from_parts(shape, &parts, &text), Err(NetError::TextLength(70_000)));
}

fn small_deep() -> (Shape, Parts, Vec<u8>) {
    let shape: Shape = "768x1-128p-16d-8s-1x1".parse().expect("a known shape");
    let parts = random::parts(&mut Random(6), shape, Flavor::Wild);
    let bytes = Network::from_parts(shape, &parts, TEXT).expect("inside the limits").save();
    (shape, parts, bytes)
}

#[test]
fn deep_nets_survive_a_round_trip() {
    let mut random = Random(2);
    for text in ["768x16-640p-16d-32s-1x8", "768x1-128s-16c-8c-1x1", "768x4-256p-16s-16c-1x8"] {
        let shape: Shape = text.parse().unwrap();
        let parts = random::parts(&mut random, shape, Flavor::Extreme);
        let net = Network::from_parts(shape, &parts, TEXT).unwrap();
        let loaded = Network::load(&net.save()).unwrap();
        assert!(loaded == net && loaded.to_parts() == parts);
        assert_eq!(loaded.info(), net.info());
        assert!(loaded.info().to_string().ends_with(TEXT));
    }
}

/// Cuts and changes of a deep net: refused, or (a changed weight under a right checksum) loaded.
/// `TABIYA_MUTATIONS` asks for more than the usual number.
#[test]
fn mutations_of_deep_nets_never_panic() {
    let (_, _, bytes) = small_deep();
    assert!(Network::load(&bytes).is_ok());
    let header = bytes.len() - 2 * 769 * 128;
    for len in (0..header).chain((header..bytes.len()).step_by(97)) {
        assert!(Network::load(&bytes[..len]).is_err(), "{len}");
    }
    let rounds = std::env::var("TABIYA_MUTATIONS").ok().and_then(|n| n.parse().ok());
    let mut random = Random(17);
    let mut broken = bytes.clone();
    for _ in 0..rounds.unwrap_or(20_000) {
        // Most changes hit what is read first, where all sizes are.
        let place = [random.below(200), random.below(bytes.len())][random.below(2)];
        let old = broken[place];
        broken[place] = old.wrapping_add(1 + random.below(255) as u8);
        assert!(Network::load(&broken).is_err(), "byte {place}");
        broken[place] = old;
    }
}

#[test]
fn deep_weights_that_could_overflow_are_refused() {
    let (shape, parts, _) = small_deep();
    let refuse = |change: &dyn Fn(&mut tabiya_nn::DeepParts)| {
        let mut changed = parts.clone();
        let HeadParts::Deep(deep) = &mut changed.head else { panic!("dense layers") };
        change(deep);
        Network::from_parts(shape, &changed, "").expect_err("must be refused").to_string()
    };
    assert_eq!(
        refuse(&|deep| deep.first_weights[5] = -128),
        "net: weight of the first layer 5 is -128, the limit is 127"
    );
    let beyond = "net: number 3 of the biases of the second layer is beyond 1024 or no number";
    assert_eq!(refuse(&|deep| deep.second_bias[3] = f32::NAN), beyond);
    assert_eq!(refuse(&|deep| deep.second_bias[3] = -1025.0), beyond);
    assert_eq!(
        refuse(&|deep| deep.output_weights.push(0.0)),
        "net: 9 output weights, the shape asks for 8"
    );
    let other = random::parts(&mut Random(5), Shape::new(128, 1, 1).unwrap(), Flavor::Mild);
    assert_eq!(Network::from_parts(shape, &other, ""), Err(NetError::Head));
}
