//! The functions that the page calls. Texts go through two buffers of this module, so that no pointer is ever read here.
// The attribute that keeps a function's name counts as unsafe: another function might have it.
#![allow(unsafe_code)]

use crate::Lab;
use std::cell::RefCell;
use std::panic;

thread_local! {
    static LAB: RefCell<Lab> = RefCell::new(Lab::default());
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a request of a number of bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(bytes, 0);
        buffer.as_mut_ptr()
    })
}

/// Carries out the request in the input; gives the number of bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    let request = INPUT.take();
    let answer = LAB.with_borrow_mut(|lab| lab.answer(&request));
    OUTPUT.replace(answer.to_string().into_bytes());
    output_bytes()
}

/// The place of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// The length of the output. After a fault of ours, which stops the module, the output is the message of the fault.
#[unsafe(no_mangle)]
pub extern "C" fn output_bytes() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Keeps the message of a fault. It must be called once, first.
#[unsafe(no_mangle)]
pub extern "C" fn install() {
    panic::set_hook(Box::new(|fault| drop(OUTPUT.replace(fault.to_string().into_bytes()))));
}
