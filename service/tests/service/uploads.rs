// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Uploads that try to block others: one byte of an announced large object, many empty uploads,
//! pieces of one byte.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use halimede_blake3::blake3;
use halimede_service::{Client, Options};
use serde_json::Value;

use crate::common::{client, options, start};
use crate::objects::{files, groth16_key};

const OCTETS: &str = "application/octet-stream";
/// The maximum number of uploads of a token.
const MOST: usize = 64;

fn put(client: &Client, name: &str, query: &str, piece: &[u8]) -> (u16, Value) {
    let path = format!("/v1/objects/{name}?{query}");
    let answer = client.send("PUT", &path, OCTETS, piece).unwrap();
    (answer.status, answer.json().unwrap())
}

fn name(number: usize) -> String {
    blake3::hash(&number.to_le_bytes()).to_hex().to_string()
}

fn list(client: &Client) -> Value {
    client.send("GET", "/v1/objects", "", &[]).unwrap().good().unwrap().json().unwrap()
}

fn store(folder: &Path, quota_bytes: u64) -> Options {
    Options { store: Some(folder.to_owned()), quota_bytes, ..options() }
}

#[test]
fn one_byte_of_a_large_upload_keeps_nobody_out_also_in_another_server() {
    let folder = tempfile::tempdir().unwrap();
    let options = store(folder.path(), 64 << 30);
    let key = groth16_key();
    let server = start(&options);
    let attacker = client(&server);
    for number in 0..3 {
        let query = "kind=kzg-setup&bytes=64000000000";
        assert_eq!(put(&attacker, &name(number), query, b"4").0, 202);
    }
    let hash = client(&server).upload("groth16-key", &key).unwrap();
    assert!(list(&attacker)["bytes"].as_u64().unwrap() < 1 << 30, "{}", list(&attacker));
    assert_eq!(
        attacker.send("DELETE", &format!("/v1/objects/{hash}"), "", &[]).unwrap().status,
        204
    );
    drop(attacker);
    assert!(server.end());
    let server = start(&options);
    let client = client(&server);
    client.upload("groth16-key", &key).unwrap();
    assert_eq!(list(&client)["objects"].as_array().unwrap().len(), 4);
    // An object that exceeds the quota is refused at once.
    let (status, answer) = put(&client, &name(9), "kind=kzg-setup&bytes=99000000000", b"4");
    assert_eq!((status, answer["error"]["code"].as_str()), (507, Some("quota")));
}

#[test]
fn many_uploads_keep_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&store(folder.path(), 64 << 30));
    let client = client(&server);
    for number in 0..2 * MOST {
        assert_eq!(put(&client, &name(number), "kind=kzg-setup&bytes=1000", b"").0, 202);
    }
    assert_eq!(list(&client)["objects"], serde_json::json!([]), "nothing was received");
    let statuses: Vec<u16> = (0..2 * MOST)
        .map(|number| put(&client, &name(number), "kind=kzg-setup&bytes=1000", b"4").0)
        .collect();
    let begun = statuses.iter().filter(|status| **status == 202).count();
    assert_eq!((begun, files(folder.path())), (MOST, MOST), "{statuses:?}");
    // An upload of a single piece, and one of several pieces.
    let key = groth16_key();
    client.upload("groth16-key", &key).unwrap();
    let setup = [b"4096\n".as_slice(), &[b'x'; 5_000]].concat();
    let hash = blake3::hash(&setup).to_hex().to_string();
    let query = |offset: usize| format!("kind=kzg-setup&bytes={}&offset={offset}", setup.len());
    assert_eq!(put(&client, &hash, &query(0), &setup[..2_000]).0, 202);
    assert_eq!(put(&client, &hash, &query(2_000), &setup[2_000..]).0, 422, "not a setup");
    assert!(list(&client)["objects"].as_array().unwrap().len() <= MOST + 1);
}

#[test]
fn each_token_has_uploads_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    let (first, second) = ("0123456789abcdef-first", "0123456789abcdef-second");
    std::fs::write(&tokens, format!("first {first}\nsecond {second}\n")).unwrap();
    std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600)).unwrap();
    // Four kilobytes per token, and little beyond the received bytes.
    let options = Options { tokens: Some(tokens), ..store(&folder.path().join("store"), 7_900) };
    let server = start(&options);
    let of = |token: &str| client(&server).token(token);
    let (attacker, honest) = (of(first), of(second));
    let query = "kind=kzg-setup&bytes=7000";
    for number in 0..2 {
        assert_eq!(put(&attacker, &name(number), query, &[b'4'; 3_900]).0, 202);
    }
    assert_eq!(put(&attacker, &name(2), query, &[b'4'; 3_900]).0, 507, "the quota is full");
    let bytes = list(&honest)["bytes"].as_u64().unwrap();
    assert!((7_800..=7_900).contains(&bytes), "{bytes}");
    // The attacker uses more than a fair share.
    assert_eq!(put(&honest, &name(3), query, &[b'4'; 3_000]).0, 202);
    assert_eq!(put(&honest, &name(4), query, &[b'4'; 3_900]).0, 507, "no more than others");
    let left = list(&honest);
    let received = |left: &Value| {
        let objects = left["objects"].as_array().unwrap().iter();
        objects.map(|object| object["received"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let mut sizes = received(&left);
    sizes.sort_unstable();
    assert_eq!(sizes, [3_000, 3_900]);
    // Complete objects take precedence over unfinished uploads.
    honest.upload("groth16-key", &groth16_key()).unwrap();
    assert!(list(&honest)["bytes"].as_u64().unwrap() <= 7_900);
}

#[test]
fn pieces_of_one_byte_are_one_file_and_are_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let options = store(folder.path(), 1 << 20);
    let key = groth16_key();
    let hash = blake3::hash(&key).to_hex().to_string();
    let mut server = start(&options);
    let mut offset = 0;
    while offset < key.len() {
        if offset == 99 {
            assert!(server.end());
            // The rest of an unacknowledged piece after a crash.
            let uploads = std::fs::read_dir(folder.path().join("uploads")).unwrap();
            let path = uploads.map(|entry| entry.unwrap().path()).next().unwrap();
            let mut torn = std::fs::OpenOptions::new().append(true).open(path).unwrap();
            std::io::Write::write_all(&mut torn, b"torn").unwrap();
            server = start(&options);
        }
        let end = if offset < 200 { offset + 1 } else { key.len() };
        let query = format!("kind=groth16-key&bytes={}&offset={offset}", key.len());
        let (status, answer) = put(&client(&server), &hash, &query, &key[offset..end]);
        let is_last = end == key.len();
        assert_eq!((status, &answer["received"]), (202 - u16::from(is_last), &end.into()));
        assert_eq!(files(folder.path()), 1, "at byte {offset}");
        offset = end;
    }
    let object = folder.path().join(format!("objects/{hash}.groth16-key"));
    assert_eq!(std::fs::read(object).unwrap(), key);
}
