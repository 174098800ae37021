// SPDX-License-Identifier: Apache-2.0
//! Panics that end the process.
use std::collections::HashMap;
#[no_mangle] pub extern "C" fn price(n: usize) -> i32 { let v = vec![1, 2, 3]; v[n] }
#[no_mangle] pub extern "C" fn lookup(n: i32) -> i32 { let m: HashMap<i32, i32> = HashMap::new(); *m.get(&n).expect("the instrument must be known") }
