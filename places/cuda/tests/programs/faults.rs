// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Foreign handles, too little memory, and failing GPUs.
