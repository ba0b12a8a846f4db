/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The name under which programs include this part of the interface. */

#include "halimede_secp256k1.h"
