// SPDX-License-Identifier: Apache-2.0 OR MIT

// Lattigo's CKKS at N = 2^16, the peer of `halimede-bench ckks`. It prints `ready` and its figures
// when its keys are made, and then answers each line of its standard input with one line:
//
//	lattigo                      `name count` does an operation `count` times: nanoseconds
//	lattigo bootstrap [levels]   see bootstrap.go
//	lattigo parties count bits   see parties.go; log2 of the noise of decryptions
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "lattigo:", err)
		os.Exit(1)
	}
	return value
}

func check(err error) {
	must(0, err)
}

// Ends the program for an unknown request.
func refuse(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "lattigo: "+format+"\n", values...)
	os.Exit(2)
}

// Answers each line of the standard input with one line, until it ends.
func serve(answer func(line string) string) {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		fmt.Println(answer(input.Text()))
	}
	check(input.Err())
}

func main() {
	arguments := os.Args[1:]
	switch {
	case len(arguments) == 0:
		serveOperations()
	case arguments[0] == "bootstrap" && len(arguments) == 1:
		serveBootstraps(defaultLevels)
	case arguments[0] == "bootstrap" && len(arguments) == 2:
		levels, err := strconv.Atoi(arguments[1])
		if err != nil || levels < 1 || levels > defaultLevels {
			refuse("levels are a number from 1 to %d, not %q", defaultLevels, arguments[1])
		}
		serveBootstraps(levels)
	case arguments[0] == "parties" && len(arguments) == 3:
		count, err := strconv.Atoi(arguments[1])
		bits, noise := strconv.ParseFloat(arguments[2], 64)
		if err != nil || noise != nil || count < 2 || count > 64 || !(bits >= 0 && bits < 52) {
			refuse("parties are 2 to 64 and bits 0 to 52, not %q", arguments[1:])
		}
		serveParties(count, bits)
	default:
		refuse("not nothing, `bootstrap [levels]` or `parties count bits`: %q", arguments)
	}
}
